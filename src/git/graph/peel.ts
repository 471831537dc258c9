import { CorruptObject } from "../objects/errors.ts";
import { ObjectType } from "../objects/object-type.ts";
import { bytesToHex, parseHexAt } from "../objects/oid.ts";
import { MissingObject, type ObjectDatabase } from "../odb/object-database.ts";

/**
 * Follows a chain of annotated tags to what it ends at (the position itself when that is no tag). `onTag` is told each
 * tag on the way. Throws MissingObject, CorruptObject for a malformed tag.
 */
export function peel(
  db: ObjectDatabase,
  position: number,
  onTag?: (tag: number) => void,
): { position: number; type: ObjectType } {
  let oid: Uint8Array | null = null;
  for (let at = position; ;) {
    const type = db.typeAt(at);
    if (type !== ObjectType.tag) {
      return { position: at, type };
    }
    onTag?.(at);
    // "object <oid>\n" is always the first line.
    oid ??= new Uint8Array(db.format.oidBytes);
    if (!parseHexAt(db.read(at).bytes, 7, oid)) {
      throw new CorruptObject(`The tag ${db.hexAt(at)} is malformed`);
    }
    at = db.find(oid);
    if (at < 0) {
      throw new MissingObject(bytesToHex(oid));
    }
  }
}
