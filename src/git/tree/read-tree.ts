import { CorruptObject } from "../objects/errors.ts";
import { ObjectType } from "../objects/object-type.ts";
import { bytesToHex } from "../objects/oid.ts";
import { MissingObject, type ObjectDatabase } from "../odb/object-database.ts";

/** The content of the tree with this oid. Throws MissingObject, or CorruptObject when it is something else. */
export function readTree(odb: ObjectDatabase, oid: Uint8Array, at = 0): Uint8Array {
  const position = odb.find(oid, at);
  if (position < 0) {
    throw new MissingObject(bytesToHex(oid, at, odb.format.oidBytes));
  }
  const object = odb.read(position);
  if (object.type !== ObjectType.tree) {
    throw new CorruptObject(`Cannot read ${odb.hexAt(position)} as a tree`);
  }
  return object.bytes;
}
