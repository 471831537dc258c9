import { afterAll, expect, test } from "bun:test";
import { copyFileSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import type { CommitGraph } from "../../src/git/graph/commit-graph.ts";
import { objectFormat } from "../../src/git/objects/object-format.ts";
import { ObjectType } from "../../src/git/objects/object-type.ts";
import { EngineCaches } from "../../src/git/odb/engine-caches.ts";
import { blame } from "../../src/git/operations/blame.ts";
import { compareFiles } from "../../src/git/operations/compare-files.ts";
import { isReachable } from "../../src/git/operations/is-reachable.ts";
import { lastCommits } from "../../src/git/operations/last-commits.ts";
import { log } from "../../src/git/operations/log.ts";
import { previewMerge } from "../../src/git/operations/preview-merge.ts";
import { CorruptPack } from "../../src/git/pack/errors.ts";
import { indexPathOf } from "../../src/git/pack/pack-paths.ts";
import { writePack } from "../../src/git/pack/write-pack.ts";
import { RepositoryCache, type RepositoryLease } from "../../src/git/workers/repository-cache.ts";
import { generateHistory } from "./generated-history.ts";

/** What a worker keeps of the repositories that it has open is bounded. */

const history = generateHistory(300);
afterAll(() => history[Symbol.dispose]());

const tip = history.git("rev-parse", "main");
const old = history.git("rev-parse", "main~20");

/** The view after so many pushes. */
const viewAfter = (pushes: number) => ({ key: `1:${pushes}`, format: "sha1" as const, packs: history.packs });

function answerOf<Result>(steps: Generator<unknown, Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done === true) {
      return step.value;
    }
  }
}

test("what is known of a view goes with it, when a newer one comes", async () => {
  using cache = new RepositoryCache(64 * 1024 * 1024);
  const graphs: WeakRef<CommitGraph>[] = [];
  const look = (pushes: number): void => {
    using lease = cache.acquire(viewAfter(pushes));
    expect(answerOf(isReachable(lease.repository, { oid: old, tips: [tip] }))).toBe(true);
    graphs.push(new WeakRef(lease.repository.graph));
  };
  const views = 40;
  for (let pushes = 1; pushes <= views; pushes++) {
    look(pushes);
  }
  // What a WeakRef was made for in this turn stays until its end.
  await new Promise(setImmediate);
  Bun.gc(true);
  const held = graphs.filter((graph) => graph.deref() !== undefined).length;
  // The newest one, and what the collector takes for one of them on the stack.
  expect(held).toBeGreaterThan(0);
  expect(held).toBeLessThan(views / 4);
});

test("what refs reach is walked once for a view, whoever asks by turns", () => {
  using cache = new RepositoryCache(64 * 1024 * 1024);
  using lease = cache.acquire(viewAfter(1));
  const { repository } = lease;
  const others = [old, history.git("rev-parse", "main~10")];
  const ask = (tips: string[]) => answerOf(isReachable(repository, { oid: old, tips }));
  for (const tips of [[tip], others]) {
    expect(ask(tips)).toBe(true);
  }
  repository.reader.graph.parentCount = () => {
    throw new Error("The history is walked");
  };
  for (const tips of [[tip], others]) {
    expect(ask(tips)).toBe(true);
  }
});

test("objects are kept until they are given back, and are read again", () => {
  using cache = new RepositoryCache(64 * 1024 * 1024);
  using lease = cache.acquire(viewAfter(1));
  const { odb } = lease.repository;
  const read = () => odb.read(odb.findHex(tip));
  const first = read();
  expect(read()).toBe(first);
  cache.clear();
  const again = read();
  expect(again).not.toBe(first);
  expect(again).toEqual(first);
});

test("at rest, indexes of packs are given back and read again, but not those that somebody reads", () => {
  using cache = new RepositoryCache(64 * 1024 * 1024);
  const indexesOf = ({ repository }: RepositoryLease) => repository.odb.packs.map(({ index }) => index);
  const heldBy = ({ repository }: RepositoryLease) =>
    repository.odb.packs.reduce((sum, { heldBytes }) => sum + heldBytes, 0);
  const reading = cache.acquire(viewAfter(1));
  const indexes = indexesOf(reading);
  const held = heldBy(reading);
  // Takes the place of that one, which is open as long as it is read.
  cache.acquire({ ...viewAfter(2), packs: [] })[Symbol.dispose]();
  cache.clear();
  expect(indexesOf(reading).every((index, number) => index === indexes[number])).toBe(true);
  reading[Symbol.dispose]();

  const read = () => {
    using lease = cache.acquire(viewAfter(3));
    const { odb } = lease.repository;
    return { lease, object: odb.read(odb.findHex(tip)) };
  };
  const first = read();
  const graph = first.lease.repository.graph;
  cache.clear();
  expect(heldBy(first.lease)).toBeLessThan(held / 10);
  const again = read();
  expect(again.object).toEqual(first.object);
  expect(again.lease.repository.graph).toBe(graph);
  expect(indexesOf(again.lease).some((index) => indexes.includes(index))).toBe(false);
});

test("an index that is gone or another's after a rest is damage", () => {
  const directory = mkdtempSync(join(tmpdir(), "stithy-rest-"));
  try {
    const [first = ""] = history.packs;
    const path = join(directory, basename(first));
    copyFileSync(first, path);
    copyFileSync(indexPathOf(first), indexPathOf(path));
    using caches = new EngineCaches(1 << 20);
    const pack = caches.acquirePack(objectFormat("sha1"), path);
    caches.clear(() => true);
    rmSync(indexPathOf(path));
    expect(pack.index.entryCount).toBe(pack.entryCount);
    caches.clear(() => false);
    expect(() => pack.index).toThrow(CorruptPack);
    const other = join(directory, "other.pack");
    writePack(pack.format, other, [{ type: ObjectType.blob, bytes: Buffer.from("another") }]);
    renameSync(indexPathOf(other), indexPathOf(path));
    expect(() => pack.index).toThrow("its index belongs to another pack");
  } finally {
    rmSync(directory, { recursive: true });
  }
});

test("results that rested are the same as new ones", () => {
  using cache = new RepositoryCache(64 * 1024 * 1024);
  using lease = cache.acquire(viewAfter(1));
  const { repository } = lease;
  const path =
    history
      .git("ls-tree", "-r", "--name-only", tip)
      .split("\n")
      .find((name) => name.endsWith(".txt")) ?? "";
  const work = {
    preview: () => answerOf(previewMerge(repository, { base: old, head: tip, maxConflicts: 10 })),
    blame: () => answerOf(blame(repository, { commit: tip, path, ranges: [], not: [], ignoreWhitespace: false })),
    files: () =>
      answerOf(
        compareFiles(repository, {
          before: old,
          after: tip,
          whitespace: "significant",
          from: null,
          skip: 0,
          limit: 50,
        }),
      ),
    log: () =>
      answerOf(
        log(repository, {
          tips: [tip],
          not: [],
          paths: [path],
          skip: 0,
          limit: 10,
          count: true,
          files: true,
          stats: true,
        }),
      ),
    last: () => answerOf(lastCommits(repository, { commit: tip, paths: [path] })),
  };
  expect(path).not.toBe("");
  for (const ask of Object.values(work)) {
    const first = ask();
    expect(first).toBeTruthy();
    expect(ask()).toEqual(first);
    cache.clear();
    expect(ask()).toEqual(first);
  }
});
