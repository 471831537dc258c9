import { CorruptObject } from "../objects/errors.ts";
import { hashObject } from "../objects/hash-object.ts";
import { typeName, type GitObject } from "../objects/object-type.ts";
import type { ObjectDatabase } from "../odb/object-database.ts";

/**
 * Reads an object that is to be written anew, and compares it with its oid: what is copied is compared with its CRC-32,
 * but what went through a damaged entry on its way here would be carried on as if it were right. Throws CorruptObject.
 */
export function readWhole(db: ObjectDatabase, position: number): GitObject {
  const object = db.read(position);
  checkOid(db, position, hashObject(db.format, object.type, object.bytes));
  return object;
}

/** The content of a large object in pieces, each valid until the next. It is compared at the end: what was made of it is to be given up then. Throws CorruptObject. */
export function* readWholePieces(db: ObjectDatabase, position: number): Generator<Uint8Array> {
  const hasher = db.format.hasher();
  hasher.update(Buffer.from(`${typeName(db.typeAt(position))} ${db.sizeAt(position)}\0`));
  for (const piece of db.readPieces(position)) {
    hasher.update(piece);
    yield piece;
  }
  checkOid(db, position, hasher.digest());
}

function checkOid(db: ObjectDatabase, position: number, oid: Uint8Array): void {
  if (Buffer.compare(oid, db.oidAt(position)) !== 0) {
    throw new CorruptObject(
      `The object ${db.hexAt(position)} cannot be repacked: its content is not what its name says`,
    );
  }
}
