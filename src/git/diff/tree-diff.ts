import { ObjectType } from "../objects/object-type.ts";
import { MissingObject, type ObjectDatabase } from "../odb/object-database.ts";
import { CorruptObject } from "../objects/errors.ts";
import { bytesToHex } from "../objects/oid.ts";
import { TreeCursor } from "../tree/tree-cursor.ts";

/** A file, symbolic link or submodule on one side of a difference. */
export interface TreeSide {
  readonly mode: number;
  readonly oid: Uint8Array;
}

/** A path at which two trees differ. At least one side is there; directories are taken apart into their files. */
export interface TreeChange {
  readonly path: string;
  readonly before: TreeSide | null;
  readonly after: TreeSide | null;
}

interface Frame {
  readonly prefix: string;
  readonly before: TreeCursor | null;
  readonly after: TreeCursor | null;
}

/**
 * The differences of two trees (null: the empty tree), in the order of `git diff-tree -r`. Equal subtrees are passed
 * over by their oid, and names become strings only where something differs.
 * Throws MissingObject, CorruptObject, CorruptPack.
 */
export function* diffTrees(odb: ObjectDatabase, before: Uint8Array | null, after: Uint8Array | null): Generator<TreeChange> {
  const stack: Frame[] = [{ prefix: "", before: open(odb, before), after: open(odb, after) }];
  for (let frame = stack.at(-1); frame !== undefined; frame = stack.at(-1)) {
    const left = frame.before?.valid === true ? frame.before : null;
    const right = frame.after?.valid === true ? frame.after : null;
    if (left === null && right === null) {
      stack.pop();
      continue;
    }
    const order = left === null ? 1 : right === null ? -1 : left.compare(right);
    const old = order <= 0 ? left : null;
    const now = order >= 0 ? right : null;
    if (old === null || now === null || !old.sameOid(now) || fileMode(old.mode) !== fileMode(now.mode)) {
      const path = frame.prefix + (old ?? now)!.name();
      if ((old ?? now)!.isTree) {
        // Entries of one order are both directories or both not: the slash is part of the order.
        stack.push({ prefix: `${path}/`, before: open(odb, old?.oid() ?? null), after: open(odb, now?.oid() ?? null) });
      } else {
        yield { path, before: sideOf(old), after: sideOf(now) };
      }
    }
    old?.next();
    now?.next();
  }
}

/** The mode as git compares it: of a file only whether it is executable counts. */
export function fileMode(mode: number): number {
  switch (mode & 0o170000) {
    case 0o100000:
      return (mode & 0o100) === 0 ? 0o100644 : 0o100755;
    case 0o120000:
      return 0o120000;
    case 0o040000:
      return 0o040000;
    default:
      return 0o160000;
  }
}

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

function open(odb: ObjectDatabase, oid: Uint8Array | null): TreeCursor | null {
  return oid === null ? null : new TreeCursor(readTree(odb, oid), odb.format);
}

function sideOf(cursor: TreeCursor | null): TreeSide | null {
  return cursor === null ? null : { mode: fileMode(cursor.mode), oid: cursor.oid() };
}
