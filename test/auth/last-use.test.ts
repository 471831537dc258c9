import { expect, test } from "bun:test";
import { LastUse } from "../../src/auth/last-use.ts";
import { silentLogger } from "../../src/lib/log.ts";
import { useTestApp } from "../support/test-app.ts";

const app = await useTestApp();
const alice = await app.user("alice");

interface Token {
  name: string;
  last_used_at: string | null;
}

const tokens = async () => (await app.withPassword("alice").get<Token[]>("/users/alice/tokens")).body;

test("the last use of tokens is written in one batch, for the used ones only", async () => {
  await app.token(alice, ["read:user"]);
  expect((await tokens()).map((token) => token.last_used_at)).toEqual([null, null]);
  const [used] = await app.forge.database.sql<
    { id: number }[]
  >`select min(id)::int as id from access_token where user_id = ${alice.id}`;
  await using uses = new LastUse(app.forge.database.db, silentLogger);
  uses.record("token", used?.id ?? 0);
  uses.record("token", used?.id ?? 0);
  await uses.flush();
  const [unusedToken, usedToken] = await tokens();
  expect(unusedToken?.last_used_at).toBeNull();
  expect(Math.abs(Date.parse(usedToken?.last_used_at ?? "") - Date.now())).toBeLessThan(60_000);
});
