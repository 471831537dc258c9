import { expect, test } from "bun:test";
import { readdirSync, utimesSync } from "node:fs";
import { join } from "node:path";
import type postgres from "postgres";
import { collectBlobs } from "../../src/domain/git/blobs/collect-blobs.ts";
import { silentLogger } from "../../src/lib/log.ts";
import { TestApp } from "../support/test-app.ts";
import { until } from "../support/until.ts";
import { LfsClient, sha256 } from "./raw-lfs.ts";

/** An upload whose file is in its place and whose row is not, for longer than the collector's hour. */

test("a row never names a file that was collected", async () => {
  await using app = await TestApp.start({ database: { connections: 8 } }, silentLogger);
  const { db, sql } = app.forge.database;
  const alice = await app.user("alice");
  const { id } = await app.repository(alice, "site");
  const client = LfsClient.of(app, "alice/site", alice.token);
  const directory = join(app.forge.files.packDirectory, "..", "blobs");
  const files = () =>
    readdirSync(directory, { recursive: true })
      .map(String)
      .filter((name) => name.length === 67);

  const collect = async () => {
    files().forEach((name) => utimesSync(join(directory, name), 1, 1));
    return collectBlobs(db, app.forge.files.blobs, silentLogger, { graceMs: -1, uptimeMs: Infinity });
  };
  const waits = async (tx: postgres.TransactionSql) =>
    (await tx`select 1 from pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))`).length > 0;
  const put = (text: string) =>
    client.put(sha256(text), text).then(
      ({ status }) => status,
      (error: unknown) => String(error),
    );

  // Before the row: the file is not in its place yet.
  let upload: Promise<unknown> | undefined;
  await sql.begin(async (tx) => {
    await tx`select 1 from repository where id = ${id} for update`;
    upload = put("before its row");
    await until("the upload waits for the repository", () => waits(tx));
    expect([files(), await collect()]).toEqual([[], 0]);
  });
  expect(await upload).toBe(200);

  // Behind the row: the file stays. A trigger holds the transaction up there.
  await sql.unsafe(`create function hold() returns trigger language plpgsql as $$ begin perform pg_advisory_xact_lock(4712); return null; end $$;
    create trigger hold after insert on blob_reference for each row execute function hold();`);
  await sql.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(4712)`;
    upload = put("behind its row");
    await until("the upload waits at the trigger", () => waits(tx));
    expect(await collect()).toBe(0);
  });
  expect(await upload).toBe(200);
  expect(files()).toHaveLength(2);
  expect(await (await client.get(sha256("behind its row"))).text()).toBe("behind its row");
});
