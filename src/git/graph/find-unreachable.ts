import { ObjectType } from "../objects/object-type.ts";
import { Bitset } from "./bitset.ts";
import { peel } from "./peel.ts";
import { findUnreachedCommit } from "./reachability.ts";
import type { RepositoryReader } from "./repository-reader.ts";
import { TreeMarker } from "./tree-marker.ts";

/** A checkout of a partial clone asks for what a recent tip's own tree has; so many are looked at before all history is. */
const tipsLookedAt = 32;

/**
 * The first of `goals` that the tips do not reach, or -1; all are positions of any objects. However many goals there are,
 * history is walked at most once, and not at all where the closure of the tips is known.
 * Yields where others may have their turn. Throws MissingObject, CorruptObject.
 */
export function* findUnreachable(reader: RepositoryReader, tips: readonly number[], goals: readonly number[]): Generator<undefined, number> {
  const { db, graph, closures } = reader;
  const known = closures.find(tips);
  if (known !== null) {
    return goals.find((goal) => !known.has(goal)) ?? -1;
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
  const strangeTag = typed.get(ObjectType.tag)?.find((tag) => !tags.has(tag)) ?? -1;
  if (strangeTag >= 0) {
    return strangeTag;
  }
  const strangeCommit = yield* findUnreachedCommit(graph, commits, typed.get(ObjectType.commit) ?? []);
  if (strangeCommit >= 0) {
    return strangeCommit;
  }
  let files = [...(typed.get(ObjectType.tree) ?? []), ...(typed.get(ObjectType.blob) ?? [])];
  const reached = new Bitset(db.size);
  const trees = new TreeMarker(db, reached);
  for (const commit of commits.toSorted((left, right) => graph.dateOf(right) - graph.dateOf(left)).slice(0, tipsLookedAt)) {
    if (files.length === 0) {
      return -1;
    }
    trees.mark(graph.treeOf(commit));
    files = files.filter((file) => !reached.has(file));
    yield undefined;
  }
  if (files.length === 0) {
    return -1;
  }
  const steps = closures.of(tips);
  let step = steps.next();
  for (; step.done !== true; step = steps.next()) {
    yield undefined;
  }
  const { value: all } = step;
  return files.find((file) => !all.has(file)) ?? -1;
}
