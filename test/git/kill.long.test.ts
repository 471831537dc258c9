import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { type FSWatcher, readFileSync, readdirSync, rmSync, watch, writeFileSync } from "node:fs";
import { connect, createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { fullNumber, testSeed } from "../support/full-number.ts";
import { Scratch, mustGit, runGit, type GitRun } from "../support/git.ts";
import { randomFrom } from "../support/random.ts";
import { ServerProcess, checkedRefs } from "../support/server-process.ts";
import { SshKeyPair } from "../support/ssh.ts";
import { OpenDirectory } from "../support/stithy.ts";

/**
 * kill -9 of the server in the middle of pushes over HTTP and SSH, the durable one with its own database. The moments are
 * random but repeatable: after so many events in the file system, or after so many bytes of the pack.
 */

const rounds = fullNumber("STITHY_KILLS");
setDefaultTimeout(120_000 + rounds * 60_000);

const seed = testSeed();
const random = randomFrom(seed);
const scratch = new Scratch();
const data = new OpenDirectory();
const key = new SshKeyPair();
afterAll(() => {
  key[Symbol.dispose]();
  scratch[Symbol.dispose]();
  data[Symbol.dispose]();
});

const work = scratch.join("work");
const refNames = ["refs/heads/main", "refs/heads/topic", "refs/tags/latest"];

/** A commit more than the last one, with some text that changes a little and a file that does not compress. */
async function commit(number: number): Promise<string> {
  writeFileSync(join(work, "noise"), random.bytes(150_000));
  for (let file = 0; file < 20; file++) {
    writeFileSync(join(work, `file-${file}.txt`), `${"the same line\n".repeat(300)}${number} ${file}\n`);
  }
  await mustGit(work, ["add", "-A"]);
  await mustGit(work, ["commit", "-q", "-m", `commit ${number}`]);
  return mustGit(work, ["rev-parse", "HEAD"]);
}

/** Calls `event` at everything that happens in the directories where a push leaves traces. Disposing ends it. */
function watchFiles(event: (inPacks: boolean) => void): Disposable {
  const packs = data.join("packs");
  const paths = [data.join("tmp"), packs, data.join("postgres", "cluster", "pg_wal")];
  const watchers: FSWatcher[] = paths.map((path) =>
    watch(path, { recursive: path === packs }, () => event(path === packs)),
  );
  return { [Symbol.dispose]: () => watchers.forEach((watcher) => watcher.close()) };
}

/** A way to the server at an address that counts the bytes going there, over all connections. */
async function meter(address: string, count: (bytes: number) => void) {
  const { port } = new URL(address);
  const proxy = createServer((client) => {
    const upstream = connect(Number(port), "127.0.0.1");
    client.on("data", (bytes) => {
      upstream.write(bytes);
      count(bytes.length);
    });
    client.on("end", () => upstream.end());
    upstream.on("data", (bytes) => client.write(bytes));
    upstream.on("close", () => client.destroy());
    client.on("close", () => upstream.destroy());
    client.on("error", () => {});
    upstream.on("error", () => {});
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const { port: own } = proxy.address() as AddressInfo;
  const url = new URL(address);
  url.port = String(own);
  return { url: url.href.replace(/\/$/, ""), [Symbol.dispose]: () => void proxy.close() };
}

function push(url: string, oid: string, atomic: boolean): Promise<GitRun> {
  // A small buffer makes git send the pack in chunks, after asking whether it may.
  const buffer = random.below(2) === 0 ? ["-c", "http.postBuffer=65536"] : [];
  return runGit(
    work,
    [
      ...buffer,
      "push",
      "-q",
      "--force",
      ...(atomic ? ["--atomic"] : []),
      url,
      ...refNames.map((name) => `${oid}:${name}`),
    ],
    { env: key.env },
  );
}

/** Pushes to a server that nobody kills. Throws with its log. */
async function mustPush(server: ServerProcess, oid: string, base = server.url): Promise<void> {
  const { code, stderr } = await push(server.repositoryUrl("site", base), oid, true);
  if (code !== 0) {
    throw new Error(`The push failed: ${stderr}\n${server.process.stderr}`);
  }
}

/** Kills the database server's first process as well: then nothing was shut down in an orderly way. */
function killDatabase(): void {
  const [pid = ""] = readFileSync(data.join("postgres", "cluster", "postmaster.pid"), "utf8").split("\n");
  process.kill(Number(pid), "SIGKILL");
}

test(`of ${rounds} pushes, each cut off by kill -9 of the server, every one left the old refs or the new`, async () => {
  console.log(`The moments are those of the seed ${seed}`);
  await mustGit(scratch.path, ["init", "-q", "-b", "main", work]);
  let before = await commit(0);
  let events = 0;
  let bytes = 0;
  {
    await using server = await ServerProcess.start(data.path);
    await server.repository("site");
    expect((await server.api.post("/user/keys", { title: "kill", key: key.publicKey })).status).toBe(201);
    // What one push brings about, for the range that the moments are taken from.
    using counting = await meter(server.url, (more) => (bytes += more));
    using _watching = watchFiles(() => events++);
    await mustPush(server, before, counting.url);
  }
  let server = await ServerProcess.start(data.path);
  const outcomes = { old: 0, new: 0 };
  let acknowledged = 0;
  for (let round = 1; round <= rounds; round++) {
    const after = await commit(round);
    const atomic = random.below(3) > 0;
    const withDatabase = random.below(2) === 0;
    const overSsh = random.below(2) === 0;
    // On the way there; anywhere; or from the moment when the pack is in its place and the transaction is about to come.
    const kind = (["bytes", "events", "commit"] as const)[random.below(3)] ?? "events";
    let left = random.below({ bytes, events: events + 2, commit: 8 }[kind]);
    let inPlace = false;
    let pushed: GitRun;
    const kill = (): void => {
      if (left >= 0) {
        left = -1;
        server.process.kill("SIGKILL");
        if (withDatabase) {
          killDatabase();
        }
      }
    };
    const count = (amount: number): void => {
      if (left >= 0 && amount >= left) {
        kill();
      }
      left -= left >= 0 ? amount : 0;
    };
    {
      using counted = await meter(overSsh ? server.ssh : server.url, kind === "bytes" ? count : () => {});
      using _watching = watchFiles((inPacks) => {
        inPlace ||= inPacks;
        if (kind === "events" || (kind === "commit" && inPlace)) {
          count(1);
        }
      });
      pushed = await push(
        overSsh ? server.sshRepositoryUrl("site", counted.url) : server.repositoryUrl("site", counted.url),
        after,
        atomic,
      );
      kill();
    }
    await server.process.ended();

    // Jobs that the kill interrupted run again from the start, and have directories of their own there.
    const former = new Set(readdirSync(data.join("tmp")));
    server = await ServerProcess.start(data.path);
    expect(readdirSync(data.join("tmp")).filter((name) => former.has(name))).toEqual([]);
    const clone = scratch.join("clone");
    const refs = new Map(
      (await checkedRefs(server.repositoryUrl("site"), clone)).map((line) => [line.slice(41), line.slice(0, 40)]),
    );
    expect([...refs.keys()]).toEqual(refNames);
    const tips = new Set(refs.values());
    expect([before, after]).toContain(refs.get("refs/heads/main") ?? "");
    expect([...tips].every((oid) => oid === before || oid === after)).toBe(true);
    expect(atomic ? tips.size : 1).toBe(1);
    if (pushed.code === 0) {
      acknowledged++;
      expect([...tips]).toEqual([after]);
    }
    outcomes[tips.has(after) ? "new" : "old"]++;
    rmSync(clone, { recursive: true });
    const { status, body } = await server.api.get<{ default_branch: string; empty: boolean }>("/repos/root/site");
    expect({ status, ...body }).toMatchObject({ status: 200, default_branch: "main", empty: false });
    await mustPush(server, after);
    before = after;
  }
  const last = await checkedRefs(server.repositoryUrl("site"), scratch.join("last"));
  expect(last).toEqual(refNames.map((name) => `${before} ${name}`));
  console.log(
    `${outcomes.old} of ${rounds} killed pushes left the old refs, ${outcomes.new} the new ones; ${acknowledged} had been acknowledged`,
  );
  expect(outcomes.old).toBeGreaterThan(0);
  await server.process.stop();
});
