import { expect, test } from "bun:test";
import { useTestApp } from "../support/test-app.ts";

const app = await useTestApp({ database: { connections: 1 } });
const alice = await app.user("alice");

test("asking in every possible way does not fill the database's memory with plans", async () => {
  const flags = ["q=x", "topic=true", "includeDesc=true", "uid=1", "private=false", "template=true", "archived=true"];
  for (let combination = 0; combination < 2 ** flags.length; combination++) {
    const query = flags.filter((_, index) => (combination >> index) % 2 === 1).join("&");
    for (let time = 1; time <= 2; time++) {
      await (await alice.api.fetch("GET", `/repos/search?${query}`)).bytes();
    }
  }
  const [row] = await app.forge.database
    .sql`select sum(length(statement))::int as length, bool_or(statement like '%access_token%') as tokens from pg_prepared_statements`;
  expect(row?.["length"]).toBeLessThan(400 * 1024);
  // What every request begins with is among them.
  expect(row?.["tokens"]).toBe(true);
});
