import { findUnreachable } from "../graph/find-unreachable.ts";
import { findUnreachedCommits } from "../graph/reachability.ts";
import type { RepositoryReader } from "../graph/repository-reader.ts";
import { ObjectType } from "../objects/object-type.ts";
import type { PackedOids } from "../objects/oid-list.ts";
import { findPresent } from "./resolve-wants.ts";
import { TipOids } from "./tip-oids.ts";

/** The positions of objects that a client named, by their oids as sent. */
export type VisibleObjects = ReadonlyMap<string, number>;

/**
 * Returns which of the commits and tags that a client names are reached by `tips`, the refs that it may see. All others
 * do not exist for the client: an object that was deleted or hidden, or that lies in a shared pack for another
 * repository, is neither acknowledged nor used as a boundary of history. `oids` are hex; `wants` are positions of
 * commits that the tips reach. Throws MissingObject, CorruptObject.
 */
export function* findVisible(
  reader: RepositoryReader,
  tips: PackedOids,
  wants: readonly number[],
  oids: readonly string[],
): Generator<undefined, VisibleObjects> {
  const { db } = reader;
  if (oids.length === 0) {
    return new Map();
  }
  const advertised = new TipOids(tips, db.format);
  const visible = new Map<string, number>();
  const others = new Map<number, string>();
  for (const hex of oids) {
    const position = db.findHex(hex);
    if (position >= 0 && advertised.hasHex(hex)) {
      visible.set(hex, position);
    } else if (position >= 0 && isLink(db.typeAt(position))) {
      others.set(position, hex);
    }
  }
  const missed = yield* findMissed(reader, wants, [...others.keys()]);
  const from = missed.length === 0 ? [] : findPresent(db, tips);
  const hidden = new Set(missed.length === 0 ? [] : yield* findUnreachable(reader, from, missed));
  for (const [position, hex] of others) {
    if (!hidden.has(position)) {
      visible.set(hex, position);
    }
  }
  return visible;
}

/**
 * Finds the haves that are not in the recent history of the wants, where most clients are: then thousands of refs need
 * not be looked up.
 */
function* findMissed(
  { db, graph }: RepositoryReader,
  wants: readonly number[],
  positions: readonly number[],
): Generator<undefined, readonly number[]> {
  const commits = positions.filter((position) => db.typeAt(position) === ObjectType.commit);
  if (commits.length === 0) {
    return positions;
  }
  const oldest = commits.reduce((date, commit) => Math.min(date, graph.dateOf(commit)), Number.POSITIVE_INFINITY);
  const missed = new Set(yield* findUnreachedCommits(graph, wants, commits, oldest));
  return positions.filter((position) => missed.has(position) || db.typeAt(position) !== ObjectType.commit);
}

/** Clients name nothing else as theirs, and to look for files would take a walk of all trees. */
function isLink(type: ObjectType): boolean {
  return type === ObjectType.commit || type === ObjectType.tag;
}
