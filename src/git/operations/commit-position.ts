import { peel } from "../graph/peel.ts";
import { CorruptObject } from "../objects/errors.ts";
import { ObjectType, typeName } from "../objects/object-type.ts";
import { MissingObject } from "../odb/object-database.ts";
import type { OpenRepository } from "./open-repository.ts";

/** The position of the commit that an oid names or that its tags end at. Throws MissingObject, CorruptObject. */
export function commitPosition({ odb }: OpenRepository, oid: string): number {
  const position = odb.findHex(oid);
  if (position < 0) {
    throw new MissingObject(oid);
  }
  const end = peel(odb, position);
  if (end.type !== ObjectType.commit) {
    throw new CorruptObject(`Cannot take ${oid} for a commit: it is a ${typeName(end.type)}`);
  }
  return end.position;
}
