import type { ObjectDatabase } from "../odb/object-database.ts";
import { fileMode } from "../tree/file-mode.ts";
import { readTree } from "../tree/read-tree.ts";
import { TreeCursor } from "../tree/tree-cursor.ts";

/** A file, symbolic link or submodule on one side of a difference. */
export interface TreeSide {
  readonly mode: number;
  readonly oid: Uint8Array;
}

/** A path at which two trees differ. At least one side is there; directories are taken apart into their files. */
export interface TreeChange {
  readonly path: string;
  /** the path's bytes where these are not UTF-8, and `path` therefore is not exact */
  readonly rawPath?: Uint8Array;
  readonly before: TreeSide | null;
  readonly after: TreeSide | null;
}

interface Frame {
  readonly prefix: string;
  readonly rawPrefix: Uint8Array | null;
  readonly before: TreeCursor | null;
  readonly after: TreeCursor | null;
}

/**
 * The differences of two trees (null: the empty tree), in the order of `git diff-tree -r`. Equal subtrees are passed
 * over by their oid, and names become strings only where something differs. With `unchanged`, files that are equal on
 * both sides come too. Throws MissingObject, CorruptObject, CorruptPack.
 */
export function* diffTrees(
  odb: ObjectDatabase,
  before: Uint8Array | null,
  after: Uint8Array | null,
  unchanged = false,
): Generator<TreeChange> {
  const stack: Frame[] = [{ prefix: "", rawPrefix: null, before: open(odb, before), after: open(odb, after) }];
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
    if (unchanged || old === null || now === null || !old.sameOid(now) || fileMode(old.mode) !== fileMode(now.mode)) {
      const entry = (old ?? now)!;
      const name = entry.name();
      const path = frame.prefix + name;
      const rawPath = rawPathOf(frame, entry, name);
      if (entry.isTree) {
        // Entries of one order are both directories or both not: the slash is part of the order.
        const rawPrefix = rawPath === null ? null : Buffer.concat([rawPath, Buffer.from("/")]);
        stack.push({
          prefix: `${path}/`,
          rawPrefix,
          before: open(odb, old?.oid() ?? null),
          after: open(odb, now?.oid() ?? null),
        });
      } else {
        yield { path, ...(rawPath === null ? {} : { rawPath }), before: sideOf(old), after: sideOf(now) };
      }
    }
    old?.next();
    now?.next();
  }
}

/** The bytes of a path that is not UTF-8; null for every other. */
function rawPathOf(frame: Frame, entry: TreeCursor, name: string): Uint8Array | null {
  if (frame.rawPrefix === null && !name.includes("\uFFFD")) {
    return null;
  }
  const bytes = Buffer.concat([
    frame.rawPrefix ?? Buffer.from(frame.prefix),
    entry.bytes.subarray(entry.nameAt, entry.nameEnd),
  ]);
  return frame.rawPrefix === null && bytes.equals(Buffer.from(frame.prefix + name)) ? null : bytes;
}

function open(odb: ObjectDatabase, oid: Uint8Array | null): TreeCursor | null {
  return oid === null ? null : new TreeCursor(readTree(odb, oid), odb.format);
}

function sideOf(cursor: TreeCursor | null): TreeSide | null {
  return cursor === null ? null : { mode: fileMode(cursor.mode), oid: cursor.oid() };
}
