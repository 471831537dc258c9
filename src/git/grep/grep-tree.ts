import { isBinary } from "../diff/line-counts.ts";
import { readTree } from "../tree/read-tree.ts";
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
  /** the same in each file */
  readonly matchesEach: number;
  /** of all lines that are answered, context too */
  readonly bytes: number;
  /** of this thread's time */
  readonly milliseconds: number;
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
export function* grepTree(
  odb: ObjectDatabase,
  tree: string,
  paths: PathSelection,
  search: FileSearch,
  limits: GrepLimits,
): Generator<void, GrepResult> {
  const files: FoundFile[] = [];
  const walk = new FileWalk(odb, tree, paths);
  const work = searchFiles(walk, search, limits, files);
  for (let spent = 0; ;) {
    const began = performance.now();
    const step = work.next();
    spent += performance.now() - began;
    if (step.done === true) {
      return { files, truncated: step.value, leftOut: walk.leftOut };
    }
    if (spent > limits.milliseconds) {
      work.return(true);
      return { files, truncated: true, leftOut: walk.leftOut };
    }
    yield;
  }
}

/** Adds the files that match. Whether it ended because of the limits. */
function* searchFiles(
  walk: FileWalk,
  search: FileSearch,
  limits: GrepLimits,
  files: FoundFile[],
): Generator<void, boolean> {
  let { matches, bytes } = limits;
  for (let file = walk.next(); file !== null; file = walk.next()) {
    yield;
    const content = walk.read(file);
    const left = { matches: Math.min(matches, limits.matchesEach), bytes };
    const found = content === null ? null : yield* searchOnce(search, content, left);
    if (found === null) {
      continue;
    }
    const { lines, isCut } = found;
    files.push({ path: Buffer.from(file.path, "latin1").toString(), oid: bytesToHex(file.oid), lines, isCut });
    matches -= found.matches;
    bytes -= found.bytes;
    if (matches <= 0 || bytes <= 0) {
      return true;
    }
  }
  return false;
}

interface WantedFile {
  /** each byte a character */
  readonly path: string;
  readonly oid: Uint8Array;
}

/** The wanted files of a tree. */
class FileWalk {
  /** files that are too large to be searched */
  leftOut = 0;
  readonly #reader = new UncachedReader();
  readonly #stack: { readonly cursor: TreeCursor; readonly path: string }[];

  constructor(
    private readonly odb: ObjectDatabase,
    tree: string,
    private readonly paths: PathSelection,
  ) {
    this.#stack = [{ cursor: this.#open(hexToBytes(tree)), path: "" }];
  }

  next(): WantedFile | null {
    for (let top = this.#stack.at(-1); top !== undefined; top = this.#stack.at(-1)) {
      const { cursor } = top;
      if (!cursor.valid) {
        this.#stack.pop();
        continue;
      }
      const path =
        top.path +
        Buffer.from(cursor.bytes.buffer, cursor.bytes.byteOffset, cursor.bytes.byteLength).toString(
          "latin1",
          cursor.nameAt,
          cursor.nameEnd,
        );
      const { mode, isTree } = cursor;
      const oid = cursor.oid();
      cursor.next();
      if (isTree) {
        if (this.paths.entersDirectory(`${path}/`)) {
          this.#stack.push({ cursor: this.#open(oid), path: `${path}/` });
        }
      } else if ((mode & typeMask) === regularFile && this.paths.hasFile(path)) {
        return { path, oid };
      }
    }
    return null;
  }

  /** The content of a file, good until others have their turn; null when it is not searched. */
  read({ oid }: WantedFile): Uint8Array | null {
    const position = this.odb.find(oid);
    if (position < 0) {
      throw new MissingObject(bytesToHex(oid));
    }
    const object = this.odb.readOnceUpTo(position, this.#reader, maxFileBytes);
    if (object === null) {
      this.leftOut++;
      return null;
    }
    if (object.type !== ObjectType.blob) {
      throw new CorruptObject(`Cannot read ${bytesToHex(oid)} as a file`);
    }
    return isBinary(object.bytes) ? null : object.bytes;
  }

  #open(oid: Uint8Array): TreeCursor {
    return new TreeCursor(readTree(this.odb, oid), this.odb.format);
  }
}

/** Searches bytes that are good until others have their turn: a search that takes so long begins again with a copy. */
function* searchOnce(
  search: FileSearch,
  bytes: Uint8Array,
  limits: { readonly matches: number; readonly bytes: number },
): ReturnType<FileSearch["run"]> {
  const first = search.run(bytes, limits).next();
  return first.done === true ? first.value : yield* search.run(bytes.slice(), limits);
}
