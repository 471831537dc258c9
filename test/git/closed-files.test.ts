import { afterAll, expect, test } from "bun:test";
import { readdirSync, readlinkSync } from "node:fs";
import { GitEngine } from "../../src/git/engine.ts";
import type { RepositoryView } from "../../src/git/job/repository-view.ts";
import { WorkerChannel } from "../../src/git/workers/worker-channel.ts";
import { silentLogger } from "../../src/lib/log.ts";
import { gitWorkerUrl, indexWorkerUrl } from "../../src/workers.ts";
import { randomFrom } from "../support/random.ts";
import { until } from "../support/until.ts";
import { GitFixture } from "./git-fixture.ts";

/*
 * A thread closes its files before it ends: Bun would leave them open until the process ends, and a process has a limited number.
 * Threads that are not always needed end while the server runs.
 */
const fixture = new GitFixture();
afterAll(() => fixture[Symbol.dispose]());

const repository = fixture.repository();
const content = Buffer.from(randomFrom(1).bytes(3 << 20));
const oid = fixture.git(repository, ["hash-object", "-w", "--stdin"], content).toString().trim();
const name = fixture.path("some");
const pack = `${name}-${fixture.git(repository, ["pack-objects", "-q", name], `${oid}\n`).toString().trim()}.pack`;
const view: RepositoryView = { key: "1:1", format: "sha1", packs: [pack] };

function openPacks(): number {
  return readdirSync("/proc/self/fd").filter((number) => {
    try {
      return readlinkSync(`/proc/self/fd/${number}`).startsWith(pack);
    } catch {
      return false;
    }
  }).length;
}

test.if(process.platform === "linux")("an engine that is disposed of, in the middle of a download, too", async () => {
  const engine = new GitEngine({
    gitWorker: gitWorkerUrl,
    indexWorker: indexWorkerUrl,
    workers: 1,
    indexWorkers: 1,
    cacheBytes: 8 << 20,
    log: silentLogger,
  });
  await engine.call(view, "readObject", { oid, maxBytes: content.length });
  await engine.maintain(view, "countObjects", null);
  const reader = engine.stream(view, "readBlob", { oid, start: 0, end: content.length }).getReader();
  expect((await reader.read()).value?.length).toBeGreaterThan(0);
  expect(openPacks()).toBeGreaterThan(1);
  await engine[Symbol.asyncDispose]();
  expect(openPacks()).toBe(0);
});

test.if(process.platform === "linux").each([
  ["reads", gitWorkerUrl, "readObject"],
  ["writes", indexWorkerUrl, "countObjects"],
])("a thread that %s, when it had nothing to do", async (_, url, operation) => {
  await using channel = new WorkerChannel({
    url,
    cacheBytes: 8 << 20,
    shownBytes: 1000,
    stallMs: 10_000,
    idleMs: 200,
    log: silentLogger,
  });
  const call = { principal: "a", timeoutMs: 10_000, blocking: false };
  await channel.call(view, operation, { oid, maxBytes: content.length }, call);
  expect(openPacks()).toBe(1);
  await until("the thread is ended", () => !channel.isRunning);
  await until("its files are closed", () => openPacks() === 0);
});

const noMoves = { questions: [], base: null, maxFiles: 1, milliseconds: 1000, maxCommits: 1 };

test.if(process.platform === "linux").each([
  ["for pushes and commits", (engine: GitEngine) => engine.write(view, "examineMoves", noMoves)],
  ["for work behind the scenes", (engine: GitEngine) => engine.maintain(view, "countObjects", null)],
])("the thread %s, soon after it, and starts again", async (_, work) => {
  await using engine = new GitEngine({
    gitWorker: gitWorkerUrl,
    indexWorker: indexWorkerUrl,
    workers: 1,
    cacheBytes: 8 << 20,
    limits: { spareThreadMs: 100 },
    log: silentLogger,
  });
  for (let time = 0; time < 2; time++) {
    expect(openPacks()).toBe(0);
    expect(await work(engine)).toBeDefined();
    await until("the thread is ended, and its files are closed", () => openPacks() === 0);
  }
});
