import type { CommitGraph } from "../graph/commit-graph.ts";
import type { PathsHistory } from "./paths-history.ts";

export interface SimplifiedCommit {
  /** the parents that are left to it; where first parents are followed, only the first of them is followed */
  readonly parents: readonly number[];
  /** whether the commit changes what is looked at, and so is to be listed */
  readonly shown: boolean;
}

/**
 * Simplifies a commit as `git log -- <paths>` does (null: without paths): a commit with the same content as one of its
 * parents is not listed, and only that parent is followed. Parents outside of the selection are ignored if there are
 * others. Throws MissingObject, CorruptObject, CorruptPack.
 */
export function simplifyCommit(
  graph: CommitGraph,
  position: number,
  history: PathsHistory | null,
  isRelevant: (position: number) => boolean,
  firstParent: boolean,
): SimplifiedCommit {
  const parents = Array.from({ length: graph.parentCount(position) }, (_, index) => graph.parentAt(position, index));
  if (history === null) {
    return { parents, shown: true };
  }
  const content = history.contentAt(position);
  if (parents.length === 0) {
    return { parents, shown: content !== 0 };
  }
  let relevant = false;
  let relevantChange = false;
  let otherChange = false;
  for (const [index, parent] of parents.entries()) {
    const counts = isRelevant(parent);
    relevant ||= counts;
    if (index === 1 && firstParent) {
      break;
    }
    if (history.contentAt(parent) !== content) {
      relevantChange ||= counts;
      otherChange ||= !counts;
    } else if (counts) {
      return { parents: [parent], shown: false };
    }
  }
  return { parents, shown: relevant ? relevantChange : otherChange };
}
