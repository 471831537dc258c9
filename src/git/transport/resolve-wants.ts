import { findUnreachable } from "../graph/find-unreachable.ts";
import { peel } from "../graph/peel.ts";
import type { RepositoryReader } from "../graph/repository-reader.ts";
import { ObjectType } from "../objects/object-type.ts";
import { ProtocolError } from "../wire/protocol-error.ts";
import type { ResolvedFetch } from "./fetch-request.ts";

/**
 * Positions of the wants. One that no ref points to must be reachable from a ref: what was deleted, or lies there for
 * another repository, stays private and is refused exactly as what is missing.
 * Throws ProtocolError, MissingObject, CorruptObject.
 */
export function* resolveWants(reader: RepositoryReader, fetch: ResolvedFetch): Generator<undefined, number[]> {
  const { db } = reader;
  const find = (hex: string): number => {
    const position = db.findHex(hex);
    if (position < 0) {
      throw notOurs(hex);
    }
    return position;
  };
  const positions = fetch.wants.map(find);
  if (fetch.unadvertised.length > 0) {
    const tips = fetch.tips.map((hex) => db.findHex(hex)).filter((position) => position >= 0);
    const [foreign] = yield* findUnreachable(reader, tips, fetch.unadvertised.map(find));
    if (foreign !== undefined) {
      throw notOurs(db.hexAt(foreign));
    }
  }
  return positions;
}

/** The wants that are commits, or tags of commits: positions of those commits. */
export function commitsOf({ db }: RepositoryReader, wants: readonly number[]): number[] {
  return wants.map((position) => peel(db, position)).filter((end) => end.type === ObjectType.commit).map((end) => end.position);
}

function notOurs(hex: string): ProtocolError {
  return new ProtocolError(`upload-pack: not our ref ${hex}`);
}
