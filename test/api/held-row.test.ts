import { afterAll, expect, test } from "bun:test";
import { LfsClient } from "../lfs/raw-lfs.ts";
import { Scratch, mustGit, runGit } from "../support/git.ts";
import { useTestApp } from "../support/test-app.ts";

/** A write waits for a row that another transaction holds for longer than `database.statement_timeout_seconds`. */

const app = await useTestApp({ database: { statement_timeout_seconds: 2 } });
const { sql } = app.forge.database;
const alice = await app.user("alice");
const scratch = new Scratch();
afterAll(() => scratch[Symbol.dispose]());

test("the database is busy then, which is no fault, on every surface, and nothing is written", async () => {
  const { id } = await app.repository(alice, "held", { auto_init: true });
  const remote = `${app.url.replace("://", `://x:${alice.token}@`)}/alice/held.git`;
  await mustGit(scratch.path, ["clone", "-q", remote, "work"]);
  const words = "The database did not answer in time; try again";
  await sql.begin(async (tx) => {
    await tx`select 1 from repository where id = ${id} for update`;
    const [api, lfs, push] = await Promise.all([
      alice.api.post<{ message: string }>("/repos/alice/held/tags", { tag_name: "one" }),
      LfsClient.of(app, "alice/held", alice.token).post<{ message: string }>("locks", { path: "a" }),
      runGit(scratch.join("work"), ["push", "-q", "origin", "HEAD:refs/heads/two"]),
    ]);
    expect([api.status, api.headers.get("retry-after"), api.body.message]).toEqual([503, "2", words]);
    expect([lfs.status, lfs.headers.get("retry-after"), lfs.body.message]).toEqual([503, "2", words]);
    expect([push.code, push.stderr]).toEqual([1, expect.stringContaining(words)]);
  });
  expect((await sql`select name from ref where repository_id = ${id}`).map((row) => String(row["name"]))).toEqual([
    "refs/heads/main",
  ]);
  expect(await sql`select 1 from lfs_lock where repository_id = ${id}`).toHaveLength(0);
});
