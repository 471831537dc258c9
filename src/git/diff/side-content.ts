import { ObjectType } from "../objects/object-type.ts";
import { bytesToHex } from "../objects/oid.ts";
import { MissingObject, type ObjectDatabase } from "../odb/object-database.ts";
import type { TreeSide } from "./tree-diff.ts";

/** A larger file counts as binary: inflating and comparing it would take longer than anyone waits. */
export const maxTextBytes = 16 * 1024 * 1024;

const nothing = new Uint8Array(0);

/**
 * Returns the content to compare: empty for an absent side, the line that names the commit for a submodule (whose
 * objects are elsewhere), null for a file that is too large to compare. Throws MissingObject, CorruptPack.
 */
export function contentOf(odb: ObjectDatabase, side: TreeSide | null): Uint8Array | null {
  if (side === null) {
    return nothing;
  }
  if ((side.mode & 0o170000) === 0o160000) {
    return Buffer.from(`Subproject commit ${bytesToHex(side.oid)}\n`);
  }
  const object = odb.readUpTo(positionOf(odb, side), maxTextBytes);
  return object === null ? null : object.type === ObjectType.blob ? object.bytes : nothing;
}

/** The size of what a side is compared as, bytes. Throws MissingObject. */
export function sizeOfSide(odb: ObjectDatabase, side: TreeSide | null): number {
  if (side === null || (side.mode & 0o170000) === 0o160000) {
    return contentOf(odb, side)!.length;
  }
  return odb.sizeAt(positionOf(odb, side));
}

function positionOf(odb: ObjectDatabase, side: TreeSide): number {
  const position = odb.find(side.oid);
  if (position < 0) {
    throw new MissingObject(bytesToHex(side.oid));
  }
  return position;
}
