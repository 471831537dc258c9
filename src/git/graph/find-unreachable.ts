import { ObjectType } from "../objects/object-type.ts";
import { Bitset } from "./bitset.ts";
import { peel } from "./peel.ts";
import { findUnreachedCommits } from "./reachability.ts";
import type { RepositoryReader } from "./repository-reader.ts";
import { TreeMarker } from "./tree-marker.ts";

/** A checkout of a partial clone asks for what a recent tip's own tree has; so many are looked at before all history is. */
const tipsLookedAt = 32;

/**
 * Returns the `goals` that the tips do not reach, in their order; all are positions of any objects. However many goals
 * there are, history is walked at most once, and not at all where the closure of the tips is known. Yields where others
 * may have their turn. Throws MissingObject, CorruptObject.
 */
export function* findUnreachable(
  reader: RepositoryReader,
  tips: readonly number[],
  goals: readonly number[],
): Generator<undefined, number[]> {
  const { db, graph, closures } = reader;
  const known = closures.find(tips);
  if (known !== null) {
    return goals.filter((goal) => !known.has(goal));
  }
  const tags = new Set<number>();
  const commits: number[] = [];
  for (const tip of tips) {
    const end = peel(db, tip, (tag) => tags.add(tag));
    if (end.type === ObjectType.commit) {
      commits.push(end.position);
    }
  }
  // For a commit its history is enough, for a tag the chains that begin at the tips; files need the trees.
  const typed = Map.groupBy(goals, (goal) => db.typeAt(goal));
  const strange = new Set(typed.get(ObjectType.tag)?.filter((tag) => !tags.has(tag)));
  for (const commit of yield* findUnreachedCommits(graph, commits, typed.get(ObjectType.commit) ?? [])) {
    strange.add(commit);
  }
  const files = [...(typed.get(ObjectType.tree) ?? []), ...(typed.get(ObjectType.blob) ?? [])];
  for (const file of yield* findUnreachedFiles(reader, tips, commits, files)) {
    strange.add(file);
  }
  return goals.filter((goal) => strange.has(goal));
}

function* findUnreachedFiles(
  reader: RepositoryReader,
  tips: readonly number[],
  commits: readonly number[],
  files: readonly number[],
): Generator<undefined, number[]> {
  const { db, graph, closures } = reader;
  const reached = new Bitset(db.size);
  const trees = new TreeMarker(db, reached);
  let missing = [...files];
  for (const commit of commits
    .toSorted((left, right) => graph.dateOf(right) - graph.dateOf(left))
    .slice(0, tipsLookedAt)) {
    if (missing.length === 0) {
      return missing;
    }
    trees.mark(graph.treeOf(commit));
    missing = missing.filter((file) => !reached.has(file));
    yield undefined;
  }
  if (missing.length === 0) {
    return missing;
  }
  const steps = closures.of(tips);
  let step = steps.next();
  for (; step.done !== true; step = steps.next()) {
    yield undefined;
  }
  const { value: all } = step;
  return missing.filter((file) => !all.has(file));
}
