import { ObjectType } from "../objects/object-type.ts";
import type { ObjectDatabase } from "../odb/object-database.ts";
import { Bitset } from "./bitset.ts";
import { commitsBetween } from "./commits-between.ts";
import { markTree } from "./mark-tree.ts";
import { peel } from "./peel.ts";
import type { RepositoryReader } from "./repository-reader.ts";

/** What someone wants and has; all are positions. */
export interface ObjectRange {
  readonly wants: readonly number[];
  /** held by the other side with everything they reach, up to `knownBoundary` */
  readonly haves: readonly number[];
  /** commits whose parents are not sent */
  readonly boundary: Bitset | null;
  /** commits that the other side holds without their parents */
  readonly knownBoundary: Bitset | null;
}

/** The objects to send. `known` are some that the other side holds: possible bases of deltas. */
export interface Selection {
  readonly objects: Bitset;
  readonly count: number;
  readonly known: Bitset | null;
}

/** With more haves than this their own trees are not looked at, only those of commits next to what is sent. */
const maxHaveTrees = 16;

/**
 * The objects of the wants that the haves do not reach. Objects of old trees that come back are found only when a commit
 * next to what is sent has them: as git does it, sending one too many is cheaper than knowing all.
 * Yields how many objects it has found. Throws MissingObject, CorruptObject.
 */
export function* selectObjects(reader: RepositoryReader, range: ObjectRange): Generator<number, Selection> {
  if (range.haves.length === 0 && range.boundary === null) {
    const objects = yield* reader.closures.of(range.wants);
    return { objects, count: objects.count(), known: null };
  }
  const { db, graph } = reader;
  const wants = peelAll(db, range.wants);
  const haves = peelAll(db, range.haves);
  const between = yield* commitsBetween(graph, {
    from: wants.commits,
    known: haves.commits,
    ...(range.boundary === null ? {} : { boundary: range.boundary }),
    ...(range.knownBoundary === null ? {} : { knownBoundary: range.knownBoundary }),
  });

  const known = new Bitset(db.size);
  haves.others.forEach((position) => markAny(db, position, known));
  for (const edge of between.edges) {
    known.add(edge);
    markTree(db, graph.treeOf(edge), known);
  }
  for (const have of haves.commits.length <= maxHaveTrees ? haves.commits : []) {
    known.add(have);
    markTree(db, graph.treeOf(have), known);
  }

  const objects = known.clone();
  let found = 0;
  wants.others.forEach((position) => markAny(db, position, objects));
  for (const commit of between.commits) {
    objects.add(commit);
    found += 1 + markTree(db, graph.treeOf(commit), objects);
    yield found;
  }
  objects.deleteAll(known);
  return { objects, count: objects.count(), known: range.haves.length === 0 ? null : known };
}

/** Splits into commits at the end of tags, and everything else that was named: tags, trees, blobs. */
function peelAll(db: ObjectDatabase, positions: readonly number[]): { commits: number[]; others: number[] } {
  const commits: number[] = [];
  const others: number[] = [];
  for (const position of positions) {
    const end = peel(db, position, (tag) => others.push(tag));
    (end.type === ObjectType.commit ? commits : others).push(end.position);
  }
  return { commits, others };
}

function markAny(db: ObjectDatabase, position: number, set: Bitset): void {
  if (db.typeAt(position) === ObjectType.tree) {
    markTree(db, position, set);
  } else {
    set.add(position);
  }
}
