import { expect, test } from "bun:test";
import { TestApp, useTestApp } from "../support/test-app.ts";

const app = await useTestApp({ database: { connections: 1 } });
const alice = await app.user("alice");

/** The characters of all prepared statements, and whether the one is among them that a request with a token begins with. */
async function readPrepared({ forge }: TestApp) {
  const [row] = await forge.database.sql`select sum(length(statement))::int as length,
    bool_or(statement like 'select 0, %access_token%') as tokens from pg_prepared_statements`;
  return row;
}

test("asking in every possible way does not fill the database's memory with plans", async () => {
  const flags = ["q=x", "topic=true", "includeDesc=true", "uid=1", "private=false", "template=true", "archived=true"];
  for (let combination = 0; combination < 2 ** flags.length; combination++) {
    const query = flags.filter((_, index) => (combination >> index) % 2 === 1).join("&");
    for (let time = 1; time <= 2; time++) {
      await (await alice.api.fetch("GET", `/repos/search?${query}`)).bytes();
    }
  }
  const row = await readPrepared(app);
  expect(row?.["length"]).toBeLessThan(400 * 1024);
  // What every request begins with is among them.
  expect(row?.["tokens"]).toBe(true);
});

test("what comes often is prepared, however many others came twice before it", async () => {
  await using other = await TestApp.start({ database: { connections: 1 } });
  const bob = await other.user("bob");
  const { sql } = other.forge.database;
  for (let number = 0; number < 400; number++) {
    for (let time = 1; time <= 2; time++) {
      await sql.unsafe(`select $1::text as "${`other ${number} `.padEnd(1000)}"`, ["x"]);
    }
  }
  for (let time = 1; time <= 130; time++) {
    await bob.api.get("/repos/bob/none");
  }
  const row = await readPrepared(other);
  expect(row?.["tokens"]).toBe(true);
  expect(row?.["length"]).toBeLessThan(400 * 1024);
});
