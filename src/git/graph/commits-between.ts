import { Bitset } from "./bitset.ts";
import type { CommitGraph } from "./commit-graph.ts";
import { CommitQueue } from "./commit-queue.ts";

export interface CommitRange {
  /** commits to start from */
  readonly from: readonly number[];
  /** commits that are known with everything they reach */
  readonly known: readonly number[];
  /** commits whose parents are not followed from `from` */
  readonly boundary?: Bitset;
  /** commits that are known without their parents (the boundary of a shallow clone) */
  readonly knownBoundary?: Bitset;
}

export interface CommitsBetween {
  /** newest first */
  readonly commits: number[];
  /** known commits that are parents of those */
  readonly edges: number[];
}

/**
 * The commits that `from` reaches and `known` does not. It looks at history by date and stops when all that is left is
 * known, so the cost is that of the difference, not of the history. Dates that lie (a child older than its parent) can
 * make it return commits that are known, never leave one out that is not.
 * A generator, so that a long walk can be interrupted: yields how many commits it has looked at.
 */
export function* commitsBetween(graph: CommitGraph, range: CommitRange): Generator<number, CommitsBetween> {
  const { db } = graph;
  const wanted = new Bitset(db.size);
  const known = new Bitset(db.size);
  const queued = new Bitset(db.size);
  const queue = new CommitQueue(graph);
  const found: number[] = [];
  /** queued commits that are wanted and not known: without them nothing new can turn up */
  let open = 0;
  let oldest = Number.POSITIVE_INFINITY;
  let looked = 0;

  const markKnown = (position: number): void => {
    if (known.has(position)) {
      return;
    }
    known.add(position);
    if (queued.has(position)) {
      open -= wanted.has(position) ? 1 : 0;
    } else {
      queued.add(position);
      queue.push(position);
    }
  };
  const markWanted = (position: number): void => {
    if (wanted.has(position)) {
      return;
    }
    wanted.add(position);
    if (known.has(position)) {
      return;
    }
    queued.add(position);
    queue.push(position);
    open++;
  };

  range.known.forEach(markKnown);
  range.from.forEach(markWanted);
  // Known commits not older than what was found may still turn out to reach it.
  while (queue.length > 0 && (open > 0 || queue.nextDate >= oldest)) {
    const position = queue.pop();
    queued.delete(position);
    const isKnown = known.has(position);
    const cut = isKnown ? range.knownBoundary : range.boundary;
    if (!isKnown) {
      open--;
      found.push(position);
      oldest = Math.min(oldest, graph.dateOf(position));
    }
    if (cut === undefined || !cut.has(position)) {
      for (let index = graph.parentCount(position) - 1; index >= 0; index--) {
        (isKnown ? markKnown : markWanted)(graph.parentAt(position, index));
      }
    }
    if ((++looked & 0xfff) === 0) {
      yield looked;
    }
  }

  const commits = found.filter((position) => !known.has(position));
  const edges = new Set<number>();
  for (const position of commits) {
    if (range.boundary?.has(position) !== true) {
      for (let index = graph.parentCount(position) - 1; index >= 0; index--) {
        const parent = graph.parentAt(position, index);
        if (known.has(parent)) {
          edges.add(parent);
        }
      }
    }
  }
  return { commits, edges: [...edges] };
}
