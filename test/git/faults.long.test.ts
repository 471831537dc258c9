import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { readFileSync, readdirSync, rmSync, statfsSync, watch, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { Scratch, mustGit, runGit } from "../support/git.ts";
import { randomFrom } from "../support/random.ts";
import { ServerProcess, checkedRefs } from "../support/server-process.ts";
import { OpenDirectory, runStithy } from "../support/stithy.ts";
import { useTestApp } from "../support/test-app.ts";
import { until } from "../support/until.ts";

/** What happens beside or around a push: others push, the client leaves, the database dies, the disk fills up. */

const scratch = new Scratch();
afterAll(() => scratch[Symbol.dispose]());
const random = randomFrom(7);

/** A repository with a commit of a file that does not compress, of so many bytes. */
async function workTree(name: string, noiseBytes: number): Promise<string> {
  const path = scratch.join(name);
  await mustGit(scratch.path, ["init", "-q", "-b", "main", path]);
  await commitNoise(path, noiseBytes);
  return path;
}

async function commitNoise(path: string, bytes: number): Promise<string> {
  writeFileSync(join(path, "noise"), random.bytes(bytes));
  await mustGit(path, ["add", "-A"]);
  await mustGit(path, ["commit", "-q", "-m", `${bytes} bytes of noise`]);
  return mustGit(path, ["rev-parse", "HEAD"]);
}

describe("clients that", async () => {
  const app = await useTestApp({ auth: { failed_sign_ins_per_minute: 1000 } });
  const alice = await app.user("alice");
  const urlOf = (name: string, base = app.url) =>
    `${base.replace("://", `://alice:${alice.token}@`)}/alice/${name}.git`;
  const noTemporaryFiles = () =>
    until("nothing is left in tmp/", () => readdirSync(app.forge.files.temporaryDirectory).length === 0);

  test("move a ref at the same time: one does, the other is told, and nothing is lost", async () => {
    await app.repository(alice, "race");
    const first = await workTree("race-first", 1000);
    await mustGit(first, ["push", "-q", urlOf("race"), "main"]);
    const second = scratch.join("race-second");
    await mustGit(scratch.path, ["clone", "-q", urlOf("race"), second]);
    // Both have seen the old ref when the first of their packs arrives.
    let waiting: (() => void)[] = [];
    using proxy = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      async fetch(request) {
        const { pathname, search } = new URL(request.url);
        const body = request.body === null ? null : await request.bytes();
        if (pathname.endsWith("/git-receive-pack")) {
          await new Promise<void>((resolve) => {
            waiting.push(resolve);
            if (waiting.length === 2) {
              waiting.forEach((go) => go());
              waiting = [];
            }
          });
        }
        return fetch(app.url + pathname + search, { method: request.method, headers: request.headers, body });
      },
    });
    for (let round = 0; round < 5; round++) {
      const tips = await Promise.all(
        [first, second].map((path, index) => commitNoise(path, 2000 + round * 10 + index)),
      );
      const runs = await Promise.all(
        [first, second].map((path) => runGit(path, ["push", urlOf("race", proxy.url.origin), "main"])),
      );
      const winner = runs.findIndex((run) => run.code === 0);
      expect(runs.map((run) => run.code === 0).sort()).toEqual([false, true]);
      expect(runs[1 - winner]?.stderr).toContain("[remote rejected] main -> main (cannot lock ref 'refs/heads/main'");
      expect(await mustGit(first, ["ls-remote", urlOf("race"), "refs/heads/main"])).toBe(
        `${tips[winner]}\trefs/heads/main`,
      );
      const loser = [first, second][1 - winner] ?? "";
      await mustGit(loser, ["pull", "-q", "--rebase", "-X", "theirs", urlOf("race"), "main"]);
      await mustGit(loser, ["push", "-q", urlOf("race"), "main"]);
      await mustGit([first, second][winner] ?? "", ["pull", "-q", "--ff-only", urlOf("race"), "main"]);
    }
    // Two commits a round and the first one.
    expect(await mustGit(first, ["rev-list", "--count", "main"])).toBe("11");
    await noTemporaryFiles();
  });

  test("leave in the middle of a push: nothing of it stays", async () => {
    await app.repository(alice, "left");
    const work = await workTree("left", 300_000);
    const { host, hostname, port } = new URL(app.url);
    const oid = await mustGit(work, ["rev-parse", "main"]);
    const command = `${"0".repeat(40)} ${oid} refs/heads/main\0report-status\n`;
    const start = Buffer.from(`${(command.length + 4).toString(16).padStart(4, "0")}${command}0000PACK`);
    for (const framing of ["Content-Length: 500000", "Transfer-Encoding: chunked"]) {
      const socket = connect(Number(port), hostname);
      socket.on("error", () => {});
      socket.write(
        `POST /alice/left.git/git-receive-pack HTTP/1.1\r\nHost: ${host}\r\nAuthorization: token ${alice.token}\r\n` +
          `Content-Type: application/x-git-receive-pack-request\r\n${framing}\r\n\r\n`,
      );
      const sent = Buffer.concat([start, random.bytes(100_000)]);
      socket.write(
        framing.startsWith("T")
          ? Buffer.concat([Buffer.from(`${sent.length.toString(16)}\r\n`), sent, Buffer.from("\r\n")])
          : sent,
      );
      await until("the pack arrives", () => readdirSync(app.forge.files.temporaryDirectory).length > 0);
      socket.destroy();
      await noTemporaryFiles();
    }
    expect(await mustGit(work, ["ls-remote", urlOf("left")])).toBe("");
    await mustGit(work, ["push", "-q", urlOf("left"), "main"]);
    expect(await checkedRefs(urlOf("left"), scratch.join("left-clone"))).toEqual([`${oid} refs/heads/main`]);
  });

  test("leave in the middle of a clone, more of them than may clone at once: the next one is served", async () => {
    await app.repository(alice, "gone");
    const work = await workTree("gone", 2_000_000);
    await mustGit(work, ["push", "-q", urlOf("gone"), "main"]);
    const oid = await mustGit(work, ["rev-parse", "main"]);
    const body = `0011command=fetch0001${(`want ${oid}\n`.length + 4).toString(16).padStart(4, "0")}want ${oid}\n0009done\n0000`;
    async function startAndLeave(): Promise<void> {
      const controller = new AbortController();
      const response = await fetch(`${app.url}/alice/gone.git/git-upload-pack`, {
        method: "POST",
        body,
        headers: {
          "content-type": "application/x-git-upload-pack-request",
          "git-protocol": "version=2",
          authorization: `token ${alice.token}`,
        },
        signal: controller.signal,
      });
      expect(response.status).toBe(200);
      await response.body?.getReader().read();
      controller.abort();
    }
    // Each stream has a share of a budget that is enough for 1024.
    for (let batch = 0; batch < 70; batch++) {
      await Promise.all(Array.from({ length: 16 }, startAndLeave));
    }
    expect(await checkedRefs(urlOf("gone"), scratch.join("gone-clone"))).toEqual([`${oid} refs/heads/main`]);
  });
});

describe("a server whose", () => {
  const data = new OpenDirectory();
  let server: ServerProcess;
  beforeAll(async () => {
    server = await ServerProcess.start(data.path);
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    data[Symbol.dispose]();
  });

  test("database is killed in the middle of pushes takes the next one when it is back", async () => {
    const url = await server.repository("site");
    const work = await workTree("database", 200_000);
    let before = await mustGit(work, ["rev-parse", "HEAD"]);
    await mustGit(work, ["push", "-q", url, "main"]);
    for (const place of ["tmp", "packs"]) {
      const after = await commitNoise(work, 200_000);
      let killed = false;
      using _watching = closing(
        watch(data.join(place), { recursive: true }, () => {
          if (!killed) {
            killed = true;
            process.kill(
              Number(readFileSync(data.join("postgres", "cluster", "postmaster.pid"), "utf8").split("\n")[0]),
              "SIGKILL",
            );
          }
        }),
      );
      const push = await runGit(work, ["push", url, "main"]);
      expect(killed).toBe(true);
      await until("the server is well again", async () => (await server.health()) === 200);
      const refs = await checkedRefs(url, scratch.join(`database-${place}`));
      expect(refs).toEqual([`${push.code === 0 ? after : before} refs/heads/main`]);
      if (push.code !== 0) {
        expect(push.stderr).toMatch(/The database cannot be reached at the moment|503/);
      }
      await until("nothing is left in tmp", () => readdirSync(data.join("tmp")).length === 0);
      await mustGit(work, ["push", "-q", url, "main"]);
      before = after;
    }
    expect((await server.api.get("/repos/root/site")).status).toBe(200);
  });

  test("database is gone says so until it is back", async () => {
    expect(await server.health()).toBe(200);
    const pidFile = data.join("postgres", "cluster", "postmaster.pid");
    const pid = Number(readFileSync(pidFile, "utf8").split("\n")[0]);
    process.kill(pid, "SIGKILL");
    await until("it says that it is not well", async () => (await server.health()) === 503);
    await until("it says that it is well", async () => (await server.health()) === 200);
    expect((await server.api.get("/user")).status).toBe(200);
    expect(await server.process.stop()).toBe(0);
  });
});

const isRoot = process.geteuid?.() === 0;
if (!isRoot) {
  console.log("LEFT OUT: a full disk, because only root may mount a small one");
}

/** A file system of its own in memory. */
class SmallDisk implements Disposable {
  readonly path = scratch.join("disk");

  constructor(bytes: number) {
    spawnSync("mkdir", ["-p", this.path]);
    const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", `size=${bytes},mode=755`, "tmpfs", this.path], {
      encoding: "utf8",
    });
    if (mounted.status !== 0) {
      throw new Error(`The small disk could not be mounted: ${mounted.stderr}`);
    }
  }

  join(...parts: string[]): string {
    return join(this.path, ...parts);
  }

  /** Fills it until so many bytes are left. */
  fill(leaving: number): void {
    const { bavail, bsize } = statfsSync(this.path);
    writeFileSync(this.join("ballast"), new Uint8Array(Math.max(0, bavail * bsize - leaving)));
  }

  free(): void {
    rmSync(this.join("ballast"));
  }

  [Symbol.dispose](): void {
    spawnSync("umount", ["--lazy", this.path]);
  }
}

test.if(isRoot)("a push that the disk has no room for is refused in words, and taken when there is room", async () => {
  spawnSync("chmod", ["711", scratch.path]);
  using disk = new SmallDisk(256 * 1024 * 1024);
  // The disk runs full in the middle of a write, instead of being read-only before.
  await using server = await ServerProcess.start(disk.join("data"), { STITHY_DATA__RESERVE_BYTES: "0" });
  const url = await server.repository("site");
  const work = await workTree("disk-work", 10_000);
  await mustGit(work, ["push", "-q", url, "main"]);
  await mustGit(work, ["push", "-q", await server.repository("other"), "main"]);
  const before = await mustGit(work, ["rev-parse", "HEAD"]);
  const after = await commitNoise(work, 6_000_000);
  disk.fill(4_000_000);
  const push = await runGit(work, ["push", url, "main"]);
  expect(push.code).not.toBe(0);
  expect(push.stderr).toContain("There is no room left on the server's disk");
  await until("nothing is left in tmp", () => readdirSync(disk.join("data", "tmp")).length === 0);
  expect(await checkedRefs(url, scratch.join("disk-full"))).toEqual([`${before} refs/heads/main`]);
  const file = {
    content: Buffer.alloc(5_000_000, random.bytes(100_000)).toString("base64"),
    message: "too much",
    branch: "main",
  };
  const commit = await server.api.post<{ message: string }>("/repos/root/other/contents/large", file);
  expect({ status: commit.status, message: commit.body.message }).toEqual({
    status: 507,
    message: "There is no room left on the server's disk",
  });
  await until("nothing is left in tmp", () => readdirSync(disk.join("data", "tmp")).length === 0);
  expect((await server.api.get("/repos/root/other/contents/large")).status).toBe(404);
  disk.free();
  await mustGit(work, ["push", "-q", url, "main"]);
  expect((await server.api.post("/repos/root/other/contents/large", file)).status).toBe(201);
  expect(await checkedRefs(url, scratch.join("disk-free"))).toEqual([`${after} refs/heads/main`]);
  expect(await server.health()).toBe(200);

  disk.fill(2_000_000);
  const repack = await runStithy(["repo", "repack", "root/site", "--data", disk.join("data")]);
  expect(repack).toMatchObject({ code: 1, stderr: "stithy: There is no room left on the server's disk\n" });
  await until("nothing is left in tmp", () => readdirSync(disk.join("data", "tmp")).length === 0);
  expect(await checkedRefs(url, scratch.join("disk-unpacked"))).toEqual([`${after} refs/heads/main`]);
  disk.free();
  expect(await runStithy(["repo", "repack", "root/site", "--data", disk.join("data")])).toMatchObject({ code: 0 });
  expect(await checkedRefs(url, scratch.join("disk-repacked"))).toEqual([`${after} refs/heads/main`]);
});

function closing(watcher: { close(): void }): Disposable {
  return { [Symbol.dispose]: () => watcher.close() };
}
