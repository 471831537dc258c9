import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { useTestApp } from "../../support/test-app.ts";

const app = await useTestApp();
const alice = await app.user("alice");

async function count(table: string): Promise<number> {
  const { sql } = app.forge.database;
  const [row] = await sql<{ count: number }[]>`select count(*)::int as count from ${sql(table)}`;
  return row?.count ?? -1;
}

/** Packs that nobody has any more keep their row until the collector has removed their files. */
async function retiredPacks(): Promise<number> {
  return (await app.forge.database.sql`select 1 from pack where retired_at is not null`).length;
}

test("a deleted repository is gone with all that was only its own, and its name is free", async () => {
  const kept = await app.repository(alice, "kept", { auto_init: true });
  await app.repository(alice, "gone", { auto_init: true });
  await alice.api.patch("/repos/alice/gone", { name: "gone-too" });
  expect([
    await count("ref"),
    (await count("pack")) - (await retiredPacks()),
    await count("repository_redirect"),
  ]).toEqual([2, 2, 1]);

  const { status, body } = await alice.api.delete("/repos/alice/gone-too");
  expect({ status, body }).toEqual({ status: 204, body: null });

  expect((await alice.api.get("/repos/alice/gone-too")).status).toBe(404);
  expect((await alice.api.get("/repos/alice/gone")).status).toBe(404);
  expect((await alice.api.delete("/repos/alice/gone-too")).status).toBe(404);
  expect([
    await count("ref"),
    (await count("pack")) - (await retiredPacks()),
    await count("repository_pack"),
    await count("reflog"),
    await count("repository_redirect"),
  ]).toEqual([1, 1, 1, 1, 0]);
  expect((await alice.api.get(`/repositories/${kept.id}`)).status).toBe(200);
  expect((await alice.api.post("/user/repos", { name: "gone", description: "again", auto_init: true })).status).toBe(
    201,
  );
});

test("pack files stay for the collector, which looks at what is referred to", () => {
  expect(
    readdirSync(app.forge.files.packDirectory, { recursive: true }).filter((name) => String(name).endsWith(".pack")),
  ).toHaveLength(3);
});

test("an archived repository can be deleted", async () => {
  await app.repository(alice, "archive");
  await alice.api.patch("/repos/alice/archive", { archived: true });
  expect((await alice.api.delete("/repos/alice/archive")).status).toBe(204);
});
