import { ObjectType } from "../objects/object-type.ts";
import type { ObjectDatabase } from "../odb/object-database.ts";
import { UncachedReader } from "../pack/uncached-reader.ts";
import { Bitset } from "./bitset.ts";
import { commitsBetween } from "./commits-between.ts";
import { dependsOnPlace, keepsAllTrees, keepsBlobs, type ObjectFilter } from "./object-filter.ts";
import { peel } from "./peel.ts";
import { PlacedTrees } from "./placed-trees.ts";
import type { RepositoryReader } from "./repository-reader.ts";
import { TreeMarker, type TreeMarking } from "./tree-marker.ts";

/** What a client wants and has; all are positions. */
export interface ObjectRange {
  readonly wants: readonly number[];
  /** commits that are wanted because the other side holds what builds on them; they are not wanted by name */
  readonly below?: readonly number[];
  /** held by the other side with everything they reach, up to `knownBoundary` */
  readonly haves: readonly number[];
  /** commits whose parents are not sent */
  readonly boundary: Bitset | null;
  /** commits that the other side holds without their parents */
  readonly knownBoundary: Bitset | null;
  /** what the other side does not want; null: it wants all */
  readonly filter?: ObjectFilter | null;
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
 * Yields how many objects it has found. Throws MissingObject, CorruptObject, FilterTooCostly.
 */
export function* selectObjects(reader: RepositoryReader, range: ObjectRange): Generator<number, Selection> {
  const { db, graph } = reader;
  const { filter = null } = range;
  const wants = peelAll(db, range.wants);
  const files = wants.others.filter((position) => db.typeAt(position) !== ObjectType.tag);
  // Closures are kept for those who come next; nobody else will want the same few files.
  const isWhole = range.haves.length === 0 && range.boundary === null && files.length === 0;
  const walksTrees =
    filter === null || filter.types.some((type) => type === ObjectType.tree || type === ObjectType.blob);
  if (isWhole && (filter === null || (walksTrees && !dependsOnPlace(filter)))) {
    const closure = yield* reader.closures.of(range.wants);
    const objects =
      filter === null ? closure : yield* reader.filtered.of(closure, [...wants.commits, ...wants.others], filter);
    return { objects, count: objects.count(), known: null, origins: new Map() };
  }
  const haves = peelAll(db, range.haves);
  const between = yield* commitsBetween(graph, {
    from: [...wants.commits, ...(range.below ?? [])],
    known: haves.commits,
    ...(range.boundary === null ? {} : { boundary: range.boundary }),
    ...(range.knownBoundary === null ? {} : { knownBoundary: range.knownBoundary }),
  });

  const objects = new Bitset(db.size);
  const origins = new Map<number, number>();
  const isOne =
    between.commits.length === 1 &&
    between.edges.length === 0 &&
    haves.commits.length + haves.others.length + wants.others.length === 0;
  const trees = new TreeMarker(db, objects, {
    origins,
    ...markingOf(db, filter),
    ...(isOne ? { reader: new UncachedReader({ isOfOne: true }) } : {}),
  });
  haves.others.forEach((position) => markAny(db, position, objects, trees));
  for (const edge of [...between.edges, ...(haves.commits.length <= maxHaveTrees ? haves.commits : [])]) {
    objects.add(edge);
    trees.mark(graph.treeOf(edge));
  }
  const known = objects.clone();
  origins.clear();

  const placed = filter !== null && dependsOnPlace(filter) ? new PlacedTrees(db, objects, known, filter) : null;
  let found = 0;
  for (const position of wants.others) {
    if (placed !== null && db.typeAt(position) === ObjectType.tree) {
      found += yield* inSteps(placed.markWanted(position), found);
    } else {
      markAny(db, position, objects, trees);
    }
  }
  for (const commit of between.commits) {
    objects.add(commit);
    const tree = walksTrees ? graph.treeOf(commit) : -1;
    found += 1;
    if (tree >= 0) {
      found += placed === null ? trees.mark(tree) : yield* inSteps(placed.mark(tree), found);
    }
    yield found;
  }
  objects.deleteAll(known);
  if (filter !== null) {
    deleteOtherTypes(db, objects, filter, new Set([...wants.commits, ...wants.others]));
  }
  // The client cannot build on objects that an earlier clone left out.
  const buildable = filter === null || (keepsAllTrees(filter) && !keepsBlobs(filter));
  return { objects, count: objects.count(), known: range.haves.length === 0 || !buildable ? null : known, origins };
}

/** Yields how much was found before where the work lets others have their turn. */
function* inSteps(work: Generator<undefined, number>, found: number): Generator<number, number> {
  let step = work.next();
  for (; step.done !== true; step = work.next()) {
    yield found;
  }
  return step.value;
}

/** Returns how a filter that does not depend on paths treats files. */
function markingOf(db: ObjectDatabase, filter: ObjectFilter | null): TreeMarking {
  if (filter === null || dependsOnPlace(filter)) {
    return {};
  }
  if (!keepsBlobs(filter)) {
    return { files: "none" };
  }
  const { blobLimit } = filter;
  return blobLimit === Number.POSITIVE_INFINITY ? {} : { files: (position) => db.sizeAt(position) < blobLimit };
}

/** Takes out what was only walked through. `wanted` stays whatever it is. */
function deleteOtherTypes(
  db: ObjectDatabase,
  objects: Bitset,
  { types }: ObjectFilter,
  wanted: ReadonlySet<number>,
): void {
  if (types.includes(ObjectType.commit) && types.includes(ObjectType.tree)) {
    return;
  }
  for (const position of objects) {
    if (!wanted.has(position) && !types.includes(db.typeAt(position))) {
      objects.delete(position);
    }
  }
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
