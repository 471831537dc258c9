import { Bitset } from "../graph/bitset.ts";
import type { CommitGraph } from "../graph/commit-graph.ts";
import { commitsBetween } from "../graph/commits-between.ts";
import { ObjectType } from "../objects/object-type.ts";
import { ProtocolError } from "../wire/protocol-error.ts";
import type { NegotiationPlaces } from "./negotiate.ts";
import { infiniteDepth, type ResolvedFetch } from "./fetch-request.ts";

/** Where the history that a client holds after a fetch ends. All are positions of commits. */
export interface HistoryBoundary {
  /** commits that become the client's boundary, to be told with `shallow` */
  readonly shallow: readonly number[];
  /** commits that no longer are, to be told with `unshallow`: the client holds them, but not their parents */
  readonly unshallow: readonly number[];
  /** commits whose parents are not sent; null when there are none */
  readonly sent: Bitset | null;
  /** the client's boundary before the fetch; null when there was none */
  readonly held: Bitset | null;
}

interface Cut {
  readonly within: Bitset;
  readonly last: readonly number[];
}

/**
 * Works out what `deepen…` and `shallow` lines mean. `wants` are commits. A boundary
 * that no visible ref reaches counts as none: else its parents could be had by claiming to lack them.
 * Throws ProtocolError when a bound leaves nothing of the wants.
 */
export function findHistoryBoundary(
  graph: CommitGraph,
  fetch: ResolvedFetch,
  { wants, visible }: NegotiationPlaces,
): HistoryBoundary {
  const clientShallow = commitsAmong(
    graph,
    fetch.shallow.filter((hex) => visible.has(hex)),
  );
  const held = clientShallow.length === 0 ? null : new Bitset(graph.db.size);
  clientShallow.forEach((position) => held?.add(position));
  const cut = findCut(graph, fetch, wants, clientShallow);
  if (cut === null) {
    return { shallow: [], unshallow: [], sent: held, held };
  }
  const shallow = cut.last.filter((position) => held?.has(position) !== true);
  const unshallow = clientShallow.filter((position) => cut.within.has(position));
  const sent = held?.clone() ?? new Bitset(graph.db.size);
  shallow.forEach((position) => sent.add(position));
  return { shallow, unshallow, sent: shallow.length + clientShallow.length === 0 ? null : sent, held };
}

/** Positions of those oids that are commits of ours: a client may name anything. */
function commitsAmong({ db }: CommitGraph, oids: readonly string[]): number[] {
  return oids
    .map((hex) => db.findHex(hex))
    .filter((position) => position >= 0 && db.typeAt(position) === ObjectType.commit);
}

/** The commits that the client is to hold with their parents (`within`), and those without (`last`). */
function findCut(
  graph: CommitGraph,
  fetch: ResolvedFetch,
  wants: readonly number[],
  clientShallow: readonly number[],
): Cut | null {
  const { deepen } = fetch;
  if (deepen === null) {
    return null;
  }
  if (deepen.kind === "bounded") {
    return cutByBounds(graph, wants, deepen.since ?? 0, commitsAmong(graph, deepen.not));
  }
  if (deepen.commits === infiniteDepth) {
    const within = new Bitset(graph.db.size);
    clientShallow.forEach((position) => within.add(position));
    return { within, last: [] };
  }
  if (deepen.relative) {
    // Whatever is wanted: git moves all ends of the client's history.
    return cutByDepth(graph, clientShallow, deepen.commits + 1);
  }
  return cutByDepth(graph, wants, deepen.commits);
}

/**
 * Level by level. A commit at the last level is a boundary even if it has no parents: so git does, and a client asked
 * for a depth takes note of it.
 */
function cutByDepth(graph: CommitGraph, heads: readonly number[], depth: number): Cut {
  const within = new Bitset(graph.db.size);
  let level = [...new Set(heads)];
  for (let number = 1; number < depth && level.length > 0; number++) {
    const next = new Set<number>();
    level.forEach((position) => within.add(position));
    for (const position of level) {
      for (let index = graph.parentCount(position) - 1; index >= 0; index--) {
        const parent = graph.parentAt(position, index);
        if (!within.has(parent)) {
          next.add(parent);
        }
      }
    }
    level = [...next];
  }
  return { within, last: level };
}

/** Commits not older than `since` and not reached by `not`; the last are those with a parent that is left out. */
function cutByBounds(graph: CommitGraph, wants: readonly number[], since: number, not: readonly number[]): Cut {
  const steps = commitsBetween(graph, { from: wants, known: not });
  let step = steps.next();
  while (step.done !== true) {
    step = steps.next();
  }
  const selected = step.value.commits.filter((position) => graph.dateOf(position) >= since);
  if (selected.length === 0) {
    throw new ProtocolError("no commits selected for shallow requests");
  }
  const within = new Bitset(graph.db.size);
  selected.forEach((position) => within.add(position));
  const last = selected.filter((position) => {
    for (let index = graph.parentCount(position) - 1; index >= 0; index--) {
      if (!within.has(graph.parentAt(position, index))) {
        return true;
      }
    }
    return false;
  });
  last.forEach((position) => within.delete(position));
  return { within, last };
}
