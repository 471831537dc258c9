import { ancestry } from "../graph/ancestry.ts";
import { Bitset } from "../graph/bitset.ts";
import type { CommitGraph } from "../graph/commit-graph.ts";
import { DateOrderQueue } from "./date-order-queue.ts";
import { PathHistory } from "./path-history.ts";

export interface CommitSelection {
  /** positions of commits to start from */
  readonly tips: readonly number[];
  /** positions of commits that are left out with all that they reach */
  readonly not: readonly number[];
  /** only commits that change what stands at this path (a file or directory); empty for all */
  readonly path: string;
}

/**
 * Commits in the order of `git log`: the next is always the latest by committer date of those whose child was listed.
 * With a path, history is simplified as `git log -- <path>` does by default: a commit that has the same content there
 * as one of its parents is not listed, and only that parent is followed. Parents that `not` excludes are never followed
 * so; git follows those that it has not yet found to be excluded, and can then list fewer commits.
 * Yields now and then so that it can be interrupted. Throws MissingObject, CorruptObject, CorruptPack.
 */
export function* listCommits(graph: CommitGraph, selection: CommitSelection, atMost = Number.POSITIVE_INFINITY): Generator<void, number[]> {
  const excluded = yield* ancestry(graph, selection.not);
  const walk = new HistoryWalk(graph, selection, excluded);
  const listed: number[] = [];
  for (let looked = 1; listed.length < atMost; looked++) {
    const position = walk.next();
    if (position < 0) {
      break;
    }
    if (walk.shown) {
      listed.push(position);
    }
    if ((looked & 0x3f) === 0) {
      yield;
    }
  }
  return listed;
}

class HistoryWalk {
  /** whether the commit that `next` returned last is one to list */
  shown = true;
  readonly #queue: DateOrderQueue;
  readonly #seen: Bitset;
  readonly #history: PathHistory | null;
  readonly #excludedTips: ReadonlySet<number>;

  constructor(
    private readonly graph: CommitGraph,
    selection: CommitSelection,
    private readonly excluded: Bitset,
  ) {
    this.#queue = new DateOrderQueue(graph);
    this.#seen = new Bitset(graph.db.size);
    this.#history = selection.path === "" ? null : new PathHistory(graph, selection.path);
    this.#excludedTips = new Set(selection.not);
    selection.tips.forEach((tip) => this.#enqueue(tip));
  }

  /** The next commit, listed or not; -1 at the end. */
  next(): number {
    const position = this.#queue.pop();
    if (position < 0) {
      return -1;
    }
    const same = this.#history === null ? -1 : this.#sameParent(position, this.#history);
    if (same >= 0) {
      this.#enqueue(same);
    } else {
      for (let index = 0; index < this.graph.parentCount(position); index++) {
        this.#enqueue(this.graph.parentAt(position, index));
      }
    }
    return position;
  }

  #enqueue(position: number): void {
    if (!this.#seen.has(position) && this.#contains(position)) {
      this.#seen.add(position);
      this.#queue.push(position);
    }
  }

  #contains(position: number): boolean {
    return !this.excluded.has(position);
  }

  /**
   * The one parent to follow, or -1 for all; sets `shown`. Parents outside of the selection do not count as long as
   * there are others, except those it was given as its limits.
   */
  #sameParent(position: number, history: PathHistory): number {
    const content = history.contentAt(position);
    const parents = this.graph.parentCount(position);
    if (parents === 0) {
      this.shown = content !== 0;
      return -1;
    }
    let relevant = 0;
    let relevantChanges = 0;
    let otherChanges = 0;
    for (let index = 0; index < parents; index++) {
      const parent = this.graph.parentAt(position, index);
      const counts = this.#contains(parent) || this.#excludedTips.has(parent);
      const same = history.contentAt(parent) === content;
      if (counts && same) {
        this.shown = false;
        return parent;
      }
      relevant += counts ? 1 : 0;
      relevantChanges += counts && !same ? 1 : 0;
      otherChanges += !counts && !same ? 1 : 0;
    }
    this.shown = relevant > 0 ? relevantChanges > 0 : otherChanges > 0;
    return -1;
  }
}
