import { CorruptObject } from "../objects/errors.ts";
import { hashObject } from "../objects/hash-object.ts";
import type { GitObject } from "../objects/object-type.ts";
import type { ObjectDatabase } from "../odb/object-database.ts";

/**
 * Reads an object that is to be written anew, and compares it with its oid: what is copied is compared with its CRC-32,
 * but what went through a damaged entry on its way here would be carried on as if it were right. Throws CorruptObject.
 */
export function readWhole(db: ObjectDatabase, position: number): GitObject {
  const object = db.read(position);
  if (Buffer.compare(hashObject(db.format, object.type, object.bytes), db.oidAt(position)) !== 0) {
    throw new CorruptObject(`The object ${db.hexAt(position)} cannot be repacked: its content is not what its name says`);
  }
  return object;
}
