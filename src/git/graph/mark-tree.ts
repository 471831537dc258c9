import { CorruptObject } from "../objects/errors.ts";
import { ObjectType, typeName } from "../objects/object-type.ts";
import { bytesToHex } from "../objects/oid.ts";
import { MissingObject, type ObjectDatabase } from "../odb/object-database.ts";
import type { Bitset } from "./bitset.ts";

/** The kind of thing that a tree entry's mode names: the bits above the permissions. */
const directoryMode = 0o40000;
const submoduleMode = 0o160000;
const kindBits = 0o170000;

/**
 * Adds the tree at `root` and everything below it to `seen`; what is in `seen` already is not entered. Submodules name
 * commits of other repositories and are left out. Returns how many objects were added.
 * Throws MissingObject for an entry that is not there, CorruptObject for a tree that is none, and with `checkTypes` also
 * for a file entry that names something other than a blob.
 */
export function markTree(db: ObjectDatabase, root: number, seen: Bitset, checkTypes = false): number {
  if (seen.has(root)) {
    return 0;
  }
  seen.add(root);
  let added = 1;
  const { oidBytes } = db.format;
  const stack = [root];
  for (let position = stack.pop(); position !== undefined; position = stack.pop()) {
    const { type, bytes } = db.read(position);
    if (type !== ObjectType.tree) {
      throw new CorruptObject(`The object ${db.hexAt(position)} is a ${typeName(type)} where a tree is needed`);
    }
    // Not forEachTreeEntry: this loop runs for every tree of a repository, and a callback an entry doubles its cost.
    const { length } = bytes;
    for (let at = 0; at < length; at += oidBytes) {
      let mode = 0;
      for (let byte = bytes[at++]!; byte !== 0x20 && at < length; byte = bytes[at++]!) {
        mode = (mode << 3) | (byte & 7);
      }
      while (at < length && bytes[at] !== 0) {
        at++;
      }
      if (++at + oidBytes > length) {
        throw new CorruptObject(`The tree ${db.hexAt(position)} is cut off`);
      }
      const kind = mode & kindBits;
      if (kind === submoduleMode) {
        continue;
      }
      const entry = db.find(bytes, at);
      if (entry < 0) {
        throw new MissingObject(bytesToHex(bytes, at, oidBytes));
      }
      if (!seen.has(entry)) {
        seen.add(entry);
        added++;
        if (kind === directoryMode) {
          stack.push(entry);
        } else if (checkTypes && db.typeAt(entry) !== ObjectType.blob) {
          throw new CorruptObject(`The tree ${db.hexAt(position)} names ${db.hexAt(entry)} as a file, which is a ${typeName(db.typeAt(entry))}`);
        }
      }
    }
  }
  return added;
}
