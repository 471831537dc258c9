import { expect, test } from "bun:test";
import { useTestApp } from "../support/test-app.ts";

/** Stars and watchers are not in the row that a push locks, and raise nothing that caches are keyed by. */

const app = await useTestApp();
const alice = await app.user("alice");
const bob = await app.user("bob");
const { sql } = app.forge.database;
const { id } = await app.repository(alice, "site", { auto_init: true });

const version = async () => (await sql`select xmin::text as xmin, generation from repository where id = ${id}`)[0];

test("a star and a watch neither wait for whoever has the repository's row nor change it", async () => {
  const before = await version();
  await sql.begin(async (tx) => {
    // As a push does.
    await tx`select from repository where id = ${id} for no key update`;
    expect((await bob.api.put("/user/starred/alice/site")).status).toBe(204);
    expect((await bob.api.put("/repos/alice/site/subscription")).status).toBe(200);
    expect((await bob.api.delete("/user/starred/alice/site")).status).toBe(204);
    expect((await bob.api.put("/user/starred/alice/site")).status).toBe(204);
  });
  expect(await version()).toEqual(before);
  const { body } = await alice.api.get<{ stars_count: number; watchers_count: number; size: number }>(
    "/repos/alice/site",
  );
  expect(body).toMatchObject({ stars_count: 1, watchers_count: 2 });
  expect(body.size).toBeGreaterThan(0);
});
