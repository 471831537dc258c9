import { findUnreachable } from "../graph/find-unreachable.ts";
import { peel } from "../graph/peel.ts";
import type { RepositoryReader } from "../graph/repository-reader.ts";
import { ObjectType } from "../objects/object-type.ts";
import { bytesToHex } from "../objects/oid.ts";
import type { PackedOids } from "../objects/oid-list.ts";
import type { ObjectDatabase } from "../odb/object-database.ts";
import { ProtocolError } from "../wire/protocol-error.ts";
import type { ResolvedFetch } from "./fetch-request.ts";

/**
 * Positions of the wants. One that no ref points to must be reachable from a ref: what was deleted, or lies there for
 * another repository, stays private and is refused exactly as what is missing.
 * Throws ProtocolError, MissingObject, CorruptObject.
 */
export function* resolveWants(reader: RepositoryReader, fetch: ResolvedFetch): Generator<undefined, number[]> {
  const { db } = reader;
  const find = (oids: PackedOids): number[] => {
    const positions = positionsOf(db, oids);
    const missing = positions.indexOf(-1);
    if (missing >= 0) {
      throw notOurs(bytesToHex(oids, missing * db.format.oidBytes, db.format.oidBytes));
    }
    return positions;
  };
  // A client may name one twice.
  const positions = [...new Set(find(fetch.wants))];
  if (fetch.unadvertised.length > 0) {
    const [foreign] = yield* findUnreachable(reader, findPresent(db, fetch.tips), find(fetch.unadvertised));
    if (foreign !== undefined) {
      throw notOurs(db.hexAt(foreign));
    }
  }
  return positions;
}

/** The wants that are commits, or tags of commits: positions of those commits. */
export function commitsOf({ db }: RepositoryReader, wants: readonly number[]): number[] {
  return wants
    .map((position) => peel(db, position))
    .filter((end) => end.type === ObjectType.commit)
    .map((end) => end.position);
}

/** The positions of those of the oids that there are. */
export function findPresent(db: ObjectDatabase, oids: PackedOids): number[] {
  return positionsOf(db, oids).filter((position) => position >= 0);
}

/** -1 for each that is missing. */
function positionsOf(db: ObjectDatabase, oids: PackedOids): number[] {
  const { oidBytes } = db.format;
  return Array.from({ length: oids.length / oidBytes }, (_, index) => db.find(oids, index * oidBytes));
}

function notOurs(hex: string): ProtocolError {
  return new ProtocolError(`upload-pack: not our ref ${hex}`);
}
