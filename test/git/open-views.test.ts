import { afterAll, expect, test } from "bun:test";
import type { CommitGraph } from "../../src/git/graph/commit-graph.ts";
import { isReachable } from "../../src/git/operations/is-reachable.ts";
import { RepositoryCache } from "../../src/git/workers/repository-cache.ts";
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
