import { readTree } from "./read-tree.ts";
import { parseCommit } from "../objects/commit.ts";
import { CorruptObject } from "../objects/errors.ts";
import { ObjectType } from "../objects/object-type.ts";
import { hexToBytes } from "../objects/oid.ts";
import type { ObjectDatabase } from "../odb/object-database.ts";
import { pathComponents } from "./path-components.ts";
import { TreeCursor } from "./tree-cursor.ts";
import { treeItemAt, type TreeItem } from "./tree-item.ts";

/** Hexadecimal oid of the root tree of a commit or tree. Throws MissingObject, CorruptObject for another object. */
export function rootTree(odb: ObjectDatabase, treeish: string): string {
  const { type, bytes } = odb.readHex(treeish);
  if (type === ObjectType.tree) {
    return treeish;
  }
  if (type !== ObjectType.commit) {
    throw new CorruptObject(`Cannot read ${treeish} as a commit or tree`);
  }
  return parseCommit(bytes, odb.format).tree;
}

/**
 * Finds the entry at a path of a commit or tree. Returns null if there is none. The empty path is the root. Throws
 * MissingObject, CorruptObject, CorruptPack.
 */
export function findPath(odb: ObjectDatabase, treeish: string, path: string): TreeItem | null {
  const names = pathComponents(path);
  const oid = rootTree(odb, treeish);
  let item: TreeItem = { name: "", path: "", oid, mode: 0o040000, type: "tree", size: null };
  for (const name of names) {
    if (item.type !== "tree") {
      return null;
    }
    const cursor = new TreeCursor(readTree(odb, hexToBytes(item.oid)), odb.format);
    if (!cursor.seek(name)) {
      return null;
    }
    item = treeItemAt(odb, cursor, item.path === "" ? "" : `${item.path}/`);
  }
  return item;
}
