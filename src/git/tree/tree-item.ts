import type { ObjectDatabase } from "../odb/object-database.ts";
import { fileMode } from "./file-mode.ts";
import { bytesToHex } from "../objects/oid.ts";
import type { TreeCursor } from "./tree-cursor.ts";

export type TreeItemType = "blob" | "tree" | "symlink" | "submodule";

/** An entry at a path of a commit. */
export interface TreeItem {
  readonly name: string;
  /** from the root, without a slash at either end; empty for the root itself */
  readonly path: string;
  readonly oid: string;
  /** as git writes it: 0o100644, 0o100755, 0o040000, 0o120000, 0o160000 */
  readonly mode: number;
  readonly type: TreeItemType;
  /** of a file's or link's content, bytes; null for trees and submodules */
  readonly size: number | null;
}

/** The entry that a cursor stands on. Throws CorruptPack; a blob that is missing has size null. */
export function treeItemAt(odb: ObjectDatabase, cursor: TreeCursor, prefix: string): TreeItem {
  const name = cursor.name();
  const mode = fileMode(cursor.mode);
  const type = itemType(mode);
  const position = type === "blob" || type === "symlink" ? odb.find(cursor.bytes, cursor.oidAt) : -1;
  return {
    name,
    path: prefix + name,
    oid: bytesToHex(cursor.bytes, cursor.oidAt, odb.format.oidBytes),
    mode,
    type,
    size: position < 0 ? null : odb.sizeAt(position),
  };
}

function itemType(mode: number): TreeItemType {
  switch (mode) {
    case 0o040000:
      return "tree";
    case 0o120000:
      return "symlink";
    case 0o160000:
      return "submodule";
    default:
      return "blob";
  }
}
