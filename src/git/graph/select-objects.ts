import { ObjectType } from "../objects/object-type.ts";
import type { ObjectDatabase } from "../odb/object-database.ts";
import { Bitset } from "./bitset.ts";
import { commitsBetween } from "./commits-between.ts";
import { peel } from "./peel.ts";
import type { RepositoryReader } from "./repository-reader.ts";
import { TreeMarker } from "./tree-marker.ts";

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
  /** for objects whose path is known: another object of the same path, which makes a good base */
  readonly origins: ReadonlyMap<number, number>;
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
    return { objects, count: objects.count(), known: null, origins: new Map() };
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

  const objects = new Bitset(db.size);
  const origins = new Map<number, number>();
  const trees = new TreeMarker(db, objects, { origins });
  haves.others.forEach((position) => markAny(db, position, objects, trees));
  for (const edge of [...between.edges, ...(haves.commits.length <= maxHaveTrees ? haves.commits : [])]) {
    objects.add(edge);
    trees.mark(graph.treeOf(edge));
  }
  const known = objects.clone();
  origins.clear();

  let found = 0;
  wants.others.forEach((position) => markAny(db, position, objects, trees));
  for (const commit of between.commits) {
    objects.add(commit);
    found += 1 + trees.mark(graph.treeOf(commit));
    yield found;
  }
  objects.deleteAll(known);
  return { objects, count: objects.count(), known: range.haves.length === 0 ? null : known, origins };
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

function markAny(db: ObjectDatabase, position: number, set: Bitset, trees: TreeMarker): void {
  if (db.typeAt(position) === ObjectType.tree) {
    trees.mark(position);
  } else {
    set.add(position);
  }
}
