import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { openDatabase } from "../../src/db/client.ts";
import { lockTable } from "../support/lock-table.ts";
import { quickDirectory } from "../support/quick-directory.ts";
import { OpenDirectory, StithyProcess } from "../support/stithy.ts";
import { until } from "../support/until.ts";

/** A busy machine makes each step of a start slow. A lock of a table stands for that here: it makes one step slow for sure. */

setDefaultTimeout(120_000);

const directory = new OpenDirectory(quickDirectory("stithy-e2e-"));
afterAll(() => directory[Symbol.dispose]());

/** Where the socket of the database of the only ephemeral server in `directory` is, as soon as it takes connections. */
async function ephemeralSocket(): Promise<string> {
  let lines: string[] = [];
  await until(
    "the database of the ephemeral server is ready",
    () => {
      const home = readdirSync(directory.path).find((name) => name.startsWith("stithy-ephemeral-")) ?? "none";
      const path = directory.join(home, "postgres", "cluster", "postmaster.pid");
      lines = existsSync(path) ? readFileSync(path, "utf8").split("\n") : [];
      return lines[7]?.trim() === "ready";
    },
    60_000,
  );
  return lines[4] ?? "";
}

test("an ephemeral server whose first answers take long says what it waits for, and becomes ready", async () => {
  // The first one on a machine makes a template of the database, which is not the database that is locked below.
  await using first = new StithyProcess(["serve", "--ephemeral", "--port", "0"], { env: { TMPDIR: directory.path } });
  await first.ready();
  expect(await first.stop()).toBe(0);
  // The seed takes a while, so that the lock is there before the last step.
  const repositories = Array.from({ length: 40 }, (_, index) => ({ owner: "root", name: `r${index}` }));
  const seed = JSON.stringify({ users: [{ username: "root", admin: true }], repositories });
  await using server = new StithyProcess(["serve", "--ephemeral", "--port", "0", "--seed", seed], {
    env: { TMPDIR: directory.path },
  });
  const host = await ephemeralSocket();
  await using database = openDatabase({
    target: { host, port: 5432, user: "stithy", database: "stithy", tls: "off" },
    connections: 1,
    statementTimeoutMs: 0,
  });
  {
    await using _lock = await lockTable(database, "job");
    const { seconds, level } = await server.logged("Still waiting for the health check");
    expect([seconds, level]).toEqual([5, "warn"]);
    expect(server.stdout).toBe("");
  }
  expect(await server.ready<{ ready: boolean }>()).toMatchObject({ ready: true });
  expect(await server.stop()).toBe(0);
});
