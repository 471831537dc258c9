import { isBinary } from "../diff/line-counts.ts";
import { readTree } from "../diff/tree-diff.ts";
import { CorruptObject } from "../objects/errors.ts";
import { ObjectType } from "../objects/object-type.ts";
import { bytesToHex, hexToBytes } from "../objects/oid.ts";
import { MissingObject, type ObjectDatabase } from "../odb/object-database.ts";
import { UncachedReader } from "../pack/uncached-reader.ts";
import { TreeCursor } from "../tree/tree-cursor.ts";
import type { FileSearch, FoundFile } from "./file-search.ts";
import type { PathSelection } from "./path-selection.ts";

export interface GrepLimits {
  /** lines that match, over all files */
  readonly matches: number;
  /** of all lines that are answered, context too */
  readonly bytes: number;
}

export interface GrepResult {
  /** in the order of the tree; those without a match are not among them */
  readonly files: readonly FoundFile[];
  /** whether there may be more than was found, because of the limits */
  readonly truncated: boolean;
  /** files that are too large to be searched */
  readonly leftOut: number;
}

/** A larger file is left out: it would be in memory as a whole. */
const maxFileBytes = 32 * 1024 * 1024;
const typeMask = 0o170000;
const regularFile = 0o100000;

/**
 * Searches the files of a tree as `git grep -I` does: regular files that have no NUL near their beginning, without
 * symbolic links and submodules. Yields now and then. Throws MissingObject, CorruptObject, CorruptPack.
 */
export function* grepTree(odb: ObjectDatabase, tree: string, paths: PathSelection, search: FileSearch, limits: GrepLimits): Generator<void, GrepResult> {
  const files: FoundFile[] = [];
  const left = { ...limits };
  const reader = new UncachedReader();
  let leftOut = 0;
  const open = (oid: string, path: string): { cursor: TreeCursor; path: string } => ({ cursor: new TreeCursor(readTree(odb, hexToBytes(oid)), odb.format), path });
  const stack = [open(tree, "")];
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    const { cursor } = top;
    if (!cursor.valid) {
      stack.pop();
      continue;
    }
    const path = top.path + Buffer.from(cursor.bytes.buffer, cursor.bytes.byteOffset, cursor.bytes.byteLength).toString("latin1", cursor.nameAt, cursor.nameEnd);
    const { mode, isTree } = cursor;
    const oid = cursor.oid();
    cursor.next();
    if (isTree) {
      if (paths.entersDirectory(`${path}/`)) {
        stack.push(open(bytesToHex(oid), `${path}/`));
      }
      continue;
    }
    if ((mode & typeMask) !== regularFile || !paths.hasFile(path)) {
      continue;
    }
    yield;
    const position = odb.find(oid);
    if (position < 0) {
      throw new MissingObject(bytesToHex(oid));
    }
    const object = odb.readOnceUpTo(position, reader, maxFileBytes);
    if (object === null) {
      leftOut++;
      continue;
    }
    if (object.type !== ObjectType.blob) {
      throw new CorruptObject(`Cannot read ${bytesToHex(oid)} as a file`);
    }
    const found = isBinary(object.bytes) ? null : yield* searchOnce(search, object.bytes, left);
    if (found === null) {
      continue;
    }
    files.push({ path: Buffer.from(path, "latin1").toString(), oid: bytesToHex(oid), lines: found.lines });
    left.matches -= found.matches;
    left.bytes -= found.bytes;
    if (left.matches <= 0 || left.bytes <= 0) {
      return { files, truncated: true, leftOut };
    }
  }
  return { files, truncated: false, leftOut };
}

/** Searches bytes that are good until others have their turn: a search that takes so long begins again with a copy. */
function* searchOnce(search: FileSearch, bytes: Uint8Array, limits: GrepLimits): ReturnType<FileSearch["run"]> {
  const first = search.run(bytes, limits).next();
  return first.done === true ? first.value : yield* search.run(bytes.slice(), limits);
}
