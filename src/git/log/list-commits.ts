import { ancestry } from "../graph/ancestry.ts";
import { Bitset } from "../graph/bitset.ts";
import type { CommitGraph } from "../graph/commit-graph.ts";
import type { CommitSelection } from "./commit-selection.ts";
import { DateOrderQueue } from "./date-order-queue.ts";
import { FileFollower } from "./follow-file.ts";
import { walkLimited } from "./limited-walk.ts";
import { matchesCommit } from "./match-commit.ts";
import { PathsHistory } from "./paths-history.ts";
import { simplifyCommit } from "./simplify-commit.ts";
import { orderTopologically } from "./topological-order.ts";

/**
 * Positions of the commits that `git log` lists for a selection, in its order. Without `not`, or without paths, they are
 * found as they are listed; otherwise all of them come first, as with git.
 * Yields now and then so that it can be interrupted. Throws MissingObject, CorruptObject, CorruptPack.
 */
export function* listCommits(
  graph: CommitGraph,
  selection: CommitSelection,
  atMost = Number.POSITIVE_INFINITY,
): Generator<void, number[]> {
  const [path] = selection.paths;
  const follower =
    selection.follow === true && path !== undefined
      ? new FileFollower(graph, path, selection.firstParent === true)
      : null;
  const history = follower !== null || path === undefined ? null : new PathsHistory(graph, selection.paths);
  const limited = selection.order === "topological" || (history !== null && selection.not.length > 0);
  const commits = limited
    ? yield* walkAll(graph, selection, history)
    : walkAlong(graph, selection, history, yield* ancestry(graph, selection.not));
  const listed: number[] = [];
  let looked = 0;
  for (const { position, shown } of commits) {
    // Git looks for a former name only in commits that it would list.
    if (
      shown &&
      matchesCommit(graph, position, selection) &&
      (follower === null || (yield* follower.changedBy(position)))
    ) {
      listed.push(position);
      if (listed.length >= atMost) {
        break;
      }
    }
    if ((++looked & 0x3f) === 0) {
      yield;
    }
  }
  return listed;
}

interface Candidate {
  readonly position: number;
  readonly shown: boolean;
}

function* walkAll(
  graph: CommitGraph,
  selection: CommitSelection,
  history: PathsHistory | null,
): Generator<void, Candidate[]> {
  const commits = yield* walkLimited(graph, selection, history);
  return selection.order === "topological" ? orderTopologically(commits) : commits;
}

/** Commits as they come: the next is always the latest of those whose child came before. */
function* walkAlong(
  graph: CommitGraph,
  selection: CommitSelection,
  history: PathsHistory | null,
  excluded: Bitset,
): Generator<Candidate, void> {
  const queue = new DateOrderQueue(graph);
  const seen = new Bitset(graph.db.size);
  const enqueue = (position: number): void => {
    if (!seen.has(position) && !excluded.has(position)) {
      seen.add(position);
      queue.push(position);
    }
  };
  selection.tips.forEach(enqueue);
  const since = selection.since ?? Number.NEGATIVE_INFINITY;
  for (let position = queue.pop(); position >= 0; position = queue.pop()) {
    if (graph.dateOf(position) >= since) {
      const firstParent = selection.firstParent === true;
      const { parents, shown } = simplifyCommit(graph, position, history, isAny, firstParent);
      (firstParent ? parents.slice(0, 1) : parents).forEach(enqueue);
      yield { position, shown };
    }
  }
}

function isAny(): boolean {
  return true;
}
