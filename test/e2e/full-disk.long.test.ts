import { afterAll, describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { chmodSync, closeSync, mkdirSync, openSync, rmSync, statSync, statfsSync, writeSync } from "node:fs";
import { join } from "node:path";
import { openDatabase } from "../../src/db/client.ts";
import { findRunning } from "../../src/postgres/find-running.ts";
import { Scratch, mustGit, runGit } from "../support/git.ts";
import { ServerProcess } from "../support/server-process.ts";
import { OpenDirectory, runStithy } from "../support/stithy.ts";
import { until } from "../support/until.ts";
import { WebVisitor } from "../support/web-visitor.ts";

/** A server whose disk is full says so, is read, refuses to change anything, and goes on by itself. */

const scratch = new Scratch();
const directory = new OpenDirectory();
afterAll(() => {
  if (small !== null) {
    spawnSync("umount", ["-l", small]);
  }
  scratch[Symbol.dispose]();
  directory[Symbol.dispose]();
});

const sentence = "The server's disk is full";

async function healthOf(url: string): Promise<[status: number, storage: { status: string; output?: string }]> {
  const response = await fetch(`${url}/api/healthz`);
  const { checks } = (await response.json()) as { checks: { storage: { status: string; output?: string } } };
  return [response.status, checks.storage];
}

/** Reads go on, and every way to change something is refused with the same words. */
async function expectReadOnly(server: ServerProcess): Promise<void> {
  const [status, storage] = await healthOf(server.url);
  expect([status, storage.status]).toEqual([503, "fail"]);
  expect(storage.output).toContain(sentence);
  expect((await server.api.get("/repos/root/site/contents/README.md")).status).toBe(200);
  const work = scratch.join(crypto.randomUUID());
  await mustGit(scratch.path, ["clone", "-q", server.repositoryUrl("site"), work]);
  await mustGit(work, ["commit", "-q", "--allow-empty", "-m", "more"]);
  const push = await runGit(work, ["push", "-q", "origin", "main"]);
  expect([push.code === 0, push.stderr]).toEqual([false, expect.stringContaining(sentence)]);

  for (const [method, path, body] of [
    ["POST", "/user/repos", { name: "refused", auto_init: true }],
    ["PATCH", "/repos/root/site", { description: "changed" }],
    ["POST", "/repos/root/site/contents/new.txt", { content: "bmV3", message: "new" }],
    ["POST", "/repos/root/site/branches", { new_branch_name: "side" }],
  ] as const) {
    const answer = await server.api.request<{ message: string }>(method, path, { body });
    expect([method, path, answer.status]).toEqual([method, path, 503]);
    expect(answer.body.message).toContain(sentence);
  }
  const batch = await fetch(`${server.repositoryUrl("site").replace(/\/\/.*@/, "//")}/info/lfs/objects/batch`, {
    method: "POST",
    headers: {
      authorization: `Basic ${Buffer.from("root:correct horse battery staple").toString("base64")}`,
      "content-type": "application/vnd.git-lfs+json",
    },
    body: JSON.stringify({ operation: "upload", objects: [{ oid: "a".repeat(64), size: 1 }] }),
  });
  expect([batch.status, await batch.text()]).toEqual([503, expect.stringContaining(sentence)]);
  expect((await new WebVisitor(server.url).get("/root/site")).status).toBe(200);
  expect((await server.api.get("/repos/root/refused")).status).toBe(404);
}

async function fill(data: string, settings: Record<string, string>): Promise<void> {
  await using server = await ServerProcess.start(data, settings);
  expect((await server.api.post("/user/repos", { name: "site", auto_init: true })).status).toBe(201);
  await server.process.stop();
}

test("one whose disk has less than half its reserve free starts, and takes no changes", async () => {
  const data = directory.join("data");
  await fill(data, { STITHY_DATA__RESERVE_BYTES: "0" });
  await using server = await ServerProcess.start(data, { STITHY_DATA__RESERVE_BYTES: String(2 ** 50) });
  const { msg } = await server.process.logged(
    `The disk of ${data} is full: changes are refused until ${2 ** 31} MiB are free`,
  );
  expect(msg).toBeString();
  await expectReadOnly(server);
  // Commands may make room.
  const deleted = await runStithy(["admin", "create-user", "helper", "--password", "long enough", "--data", data]);
  expect(deleted).toMatchObject({ code: 0 });
  expect(await server.process.stop()).toBe(0);
});

/** A small file system of its own; null where this process may not mount one, as in most containers. */
function mountSmall(): string | null {
  const path = directory.join("small");
  mkdirSync(path);
  const { status } = spawnSync("mount", ["-t", "tmpfs", "-o", "size=288m,mode=755", "tmpfs", path]);
  return status === 0 ? path : null;
}

const small = process.geteuid?.() === 0 ? mountSmall() : null;

/** Writes a file until nothing more goes into it. */
function fillUp(path: string): void {
  for (const piece of [1024 * 1024, 4096, 512]) {
    const file = openSync(path, "a");
    try {
      for (;;) {
        writeSync(file, new Uint8Array(piece));
      }
    } catch {
      // It is full.
    } finally {
      closeSync(file);
    }
  }
}

describe.skipIf(small === null)("on a disk that somebody else fills", () => {
  const mount = small ?? "";
  const data = join(mount, "data");
  const settings = { STITHY_DATA__RESERVE_BYTES: String(48 * 1024 * 1024) };
  const reserve = () => statSync(join(data, "reserve")).size;
  const startReserve = () => statSync(join(data, "reserve-start"), { throwIfNoEntry: false })?.size ?? 0;
  const freeBytes = () => {
    const { bavail, bsize } = statfsSync(mount);
    return bavail * bsize;
  };

  test("it is read-only, starts after kill -9, and goes on when there is room again", async () => {
    mkdirSync(data);
    chmodSync(data, 0o755);
    await fill(data, settings);
    {
      await using server = await ServerProcess.start(data, settings);
      await until("the reserve is there", () => reserve() === 48 * 1024 * 1024);
      await until("the reserve for starts is there", () => startReserve() === 36 * 1024 * 1024);
      fillUp(join(mount, "filler"));
      expect(freeBytes()).toBeLessThan(4096);
      server.process.kill("SIGKILL");
      await server.process.ended();
    }
    expect(reserve()).toBeGreaterThan(0);
    {
      await using server = await ServerProcess.start(data, settings);
      expect(reserve()).toBe(0);
      await expectReadOnly(server);
      server.process.kill("SIGKILL");
      await server.process.ended();
    }
    await using server = await ServerProcess.start(data, settings);
    await expectReadOnly(server);
    rmSync(join(mount, "filler"));
    await until("there is room", async () => (await healthOf(server.url))[0] === 200);
    expect((await server.api.post("/user/repos", { name: "another", auto_init: true })).status).toBe(201);
    await until("the reserve is there again", () => reserve() === 48 * 1024 * 1024);
    expect(await server.process.stop()).toBe(0);
  });

  test("with no byte free it is read, also when the database has crashed, and it starts again and again", async () => {
    const filler = join(mount, "filler");
    {
      await using server = await ServerProcess.start(data, settings);
      await until("the reserves are there", () => reserve() + startReserve() === 84 * 1024 * 1024);
      fillUp(filler);
      await until("the reserve is given up", async () => (await healthOf(server.url))[0] === 503 && reserve() === 0);
      fillUp(filler);
      expect(freeBytes()).toBe(0);
      await expectReadOnly(server);
      // What the database writes by itself needs another segment of its log at some time: it ends, and is started again.
      const socket = await findRunning(join(data, "postgres"));
      await using database = openDatabase({
        target: { ...(socket ?? expect.unreachable()), tls: "off" },
        connections: 1,
        statementTimeoutMs: 0,
      });
      const write = database.sql`select pg_logical_emit_message(false, 'test', repeat('x', 1000000)) from generate_series(1, 200)`;
      expect(
        await write.then(
          () => "written",
          () => "ended",
        ),
      ).toBe("ended");
      await server.process.logged("The database server ended unexpectedly and is started again");
      await until("it is read again", async () => (await server.api.get("/repos/root/site")).status === 200);
      await until("there is room for the next start", () => startReserve() > 0);
      fillUp(filler);
      // As it does every five minutes.
      await database.sql`checkpoint`;
      await expectReadOnly(server);
      expect(await server.process.stop()).toBe(0);
    }
    for (const signal of ["SIGKILL", "SIGTERM", "SIGKILL"] as const) {
      fillUp(filler);
      await using server = await ServerProcess.start(data, settings);
      await until("there is room for the next start", () => startReserve() > 0);
      fillUp(filler);
      await expectReadOnly(server);
      server.process.kill(signal);
      await server.process.ended();
    }
    rmSync(filler);
    await using server = await ServerProcess.start(data, settings);
    await until("there is room", async () => (await healthOf(server.url))[0] === 200);
    await until("the reserves are there", () => reserve() + startReserve() === 84 * 1024 * 1024);
    expect((await server.api.post("/user/repos", { name: "after", auto_init: true })).status).toBe(201);
    expect(await server.process.stop()).toBe(0);
  });

  test("without any reserve it does not start, and says how much to free", async () => {
    fillUp(join(mount, "filler"));
    rmSync(join(data, "reserve"));
    rmSync(join(data, "reserve-start"));
    fillUp(join(mount, "filler"));
    const run = await runStithy(["serve", "--data", data, "--port", "0"], { env: settings });
    expect(run.stderr).toContain(`There is no room left on the disk of ${data}, and the database cannot start`);
    expect(run.code).toBe(1);
    rmSync(join(mount, "filler"));
    await using server = await ServerProcess.start(data, settings);
    expect(await server.health()).toBe(200);
  });
});
