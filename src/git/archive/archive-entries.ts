import { AttributeStack } from "../attributes/attribute-stack.ts";
import { readTree } from "../tree/read-tree.ts";
import { bytesToHex, hexToBytes } from "../objects/oid.ts";
import { MissingObject, type ObjectDatabase } from "../odb/object-database.ts";
import { UncachedReader } from "../pack/uncached-reader.ts";
import { findPath } from "../tree/find-path.ts";
import { patternWork } from "../../lib/pattern-steps.ts";
import { TreeCursor } from "../tree/tree-cursor.ts";
import { largestAttributesFile, type AttributeValue } from "../attributes/parse-attributes.ts";
import { convertContent, wantsConversion } from "./convert-content.ts";
import { PathNotInTree } from "./errors.ts";
import { trimEndOf } from "../../lib/trim-text.ts";

/** A content that is too large to be held. */
export interface LargeContent {
  /** bytes */
  readonly size: number;
  /** In pieces, each valid until the next is asked for, some of them empty. Throws CorruptPack, EngineBusy, StorageFull. */
  read(): Generator<Uint8Array, void, void>;
}

export type EntryKind = "directory" | "file" | "executable" | "symlink";

/** An entry of an archive, in the order of the tree. Submodules are empty directories. */
export interface ArchiveEntry {
  /** each byte a character; a directory ends in a slash */
  readonly path: string;
  readonly kind: EntryKind;
  /** of the object that it comes from */
  readonly oid: Uint8Array;
  /** of a file, or where a symlink leads; shared with a cache, never to be written to; see also `readOnce` */
  readonly content: Uint8Array;
  /** the content of a file that is too large for `content`, which is empty then */
  readonly large: LargeContent | null;
  /** what .gitattributes say of it under `diff` */
  readonly diff: AttributeValue | undefined;
}

export interface EntrySource {
  readonly odb: ObjectDatabase;
  /** hexadecimal oid of the root tree */
  readonly tree: string;
  readonly prefix: string;
  readonly paths: readonly string[];
  /** Each byte a character: see `ArchiveRequest.files`. */
  readonly files: ReadonlyMap<string, string> | null;
  /** Contents of up to 1 MB are only valid until the next yield then, which saves a fifth of the time: memory is not made for each. */
  readonly readOnce: boolean;
  /** Fills in what `$Format:…$` stands for, in files that ask for it; null for the archive of a tree. */
  readonly substitute: ((content: Uint8Array) => Uint8Array) | null;
}

interface Directory {
  readonly cursor: TreeCursor;
  /** without the archive's prefix, with a slash at its end unless it is the root */
  readonly path: string;
  readonly oid: Uint8Array;
  /** A directory comes into the archive with the first thing in it. */
  written: boolean;
}

const nothing = new Uint8Array(0);
/** Larger files are not converted by .gitattributes, although git converts all files that it holds in memory. */
const largestConvertedBytes = 16 * 1024 * 1024;
const attributesName = Buffer.from(".gitattributes");
const noAttributes: ReadonlyMap<string, AttributeValue> = new Map();

const typeMask = 0o170000;
const typeOfTree = 0o040000;
const typeOfSymlink = 0o120000;
/** Others have a turn after so much work with patterns: about 4 ms. */
const globWorkAtOnce = 400_000;
const typeOfSubmodule = 0o160000;

/**
 * Goes through a tree as `git archive` does: without what .gitattributes gives `export-ignore`, with the line ends and
 * keywords that they ask for. Yields nothing at points where others may have their turn.
 * Throws MissingObject, CorruptObject, CorruptPack; PathNotInTree before anything else.
 */
export function* archiveEntries(source: EntrySource): Generator<ArchiveEntry | undefined, void> {
  for (const path of source.paths) {
    if (findPath(source.odb, source.tree, path) === null) {
      throw new PathNotInTree(path);
    }
  }
  const base = Buffer.from(source.prefix, "utf8").toString("latin1");
  if (base.endsWith("/") && source.files === null) {
    yield directory(`${trimEndOf(base, "/")}/`, hexToBytes(source.tree));
  }
  const walk = new TreeWalk(source, base);
  for (let entry = walk.next(); entry !== null; entry = walk.next()) {
    yield entry;
    if (walk.hasLongWorked()) {
      yield undefined;
    }
  }
}

/** An entry of a tree that is not in the archive yet. */
interface Found {
  readonly path: string;
  readonly mode: number;
  readonly oid: Uint8Array;
  readonly said: ReadonlyMap<string, AttributeValue>;
}

/** A class and no generator: JavaScriptCore would compile the body of that to its last tier again and again. */
class TreeWalk {
  readonly #limits: readonly string[];
  readonly #reader: UncachedReader | null;
  readonly #attributes = new AttributeStack();
  readonly #stack: Directory[];
  #pauseAt = patternWork() + globWorkAtOnce;
  /** waits until the directories that it is in are written */
  #found: Found | null = null;

  /** base: the prefix, each byte a character */
  constructor(
    private readonly source: EntrySource,
    private readonly base: string,
  ) {
    this.#limits = source.paths.map((path) => Buffer.from(path, "utf8").toString("latin1"));
    this.#reader = source.readOnce ? new UncachedReader() : null;
    this.#stack = [open(source, hexToBytes(source.tree), "", this.#attributes)];
  }

  /** Whether patterns have been held against paths for long since it was asked last. */
  hasLongWorked(): boolean {
    const isLong = patternWork() >= this.#pauseAt;
    this.#pauseAt = isLong ? patternWork() + globWorkAtOnce : this.#pauseAt;
    return isLong;
  }

  /** The next entry; undefined where others may have their turn, null at the end. */
  next(): ArchiveEntry | undefined | null {
    while (this.#found === null) {
      const top = this.#stack.at(-1);
      if (top === undefined) {
        return null;
      }
      if (top.cursor.valid) {
        if (this.#look(top)) {
          return undefined;
        }
      } else {
        this.#stack.pop();
        this.#attributes.pop();
      }
    }
    if (this.source.files !== null) {
      return this.#renamed(this.source.files, this.#found);
    }
    const parent = this.#stack.find(({ written }) => !written);
    if (parent !== undefined) {
      parent.written = true;
      return directory(this.base + parent.path, parent.oid);
    }
    const { path, mode, oid, said } = this.#found;
    this.#found = null;
    if (said.get("export-ignore") === true) {
      return undefined;
    }
    return (mode & typeMask) === typeOfSubmodule
      ? directory(this.base + path, oid)
      : file(this.source, this.#reader, this.base + path, mode, oid, said);
  }

  /** A file that was asked for, under its new path; undefined for any other. */
  #renamed(files: ReadonlyMap<string, string>, { path, mode, oid, said }: Found): ArchiveEntry | undefined {
    this.#found = null;
    const name = files.get(path);
    return name === undefined
      ? undefined
      : { ...file(this.source, this.#reader, this.base + name, mode, oid, said), kind: "file" };
  }

  /** Looks at the next thing in a directory; true when it is one that is entered or left out. */
  #look({ cursor, path: parent }: Directory): boolean {
    const type = cursor.mode & typeMask;
    const isDirectory = type === typeOfTree || type === typeOfSubmodule;
    const path = `${parent}${latin1(cursor.bytes, cursor.nameAt, cursor.nameEnd)}${isDirectory ? "/" : ""}`;
    const oid = cursor.oid();
    const { mode } = cursor;
    cursor.next();
    if (!isWanted(path, this.#limits, type === typeOfTree)) {
      return false;
    }
    const said = this.#attributes.isEmpty ? noAttributes : this.#attributes.of(path);
    if (type !== typeOfTree) {
      this.#found = { path, mode, oid, said };
      return false;
    }
    if (said.get("export-ignore") !== true || this.source.files !== null) {
      this.#stack.push(open(this.source, oid, path, this.#attributes));
    }
    return true;
  }
}

function directory(path: string, oid: Uint8Array): ArchiveEntry {
  return { path, kind: "directory", oid, content: nothing, large: null, diff: undefined };
}

function file(
  source: EntrySource,
  reader: UncachedReader | null,
  path: string,
  mode: number,
  oid: Uint8Array,
  said: ReadonlyMap<string, AttributeValue>,
): ArchiveEntry {
  const position = source.odb.find(oid);
  if (position < 0) {
    throw new MissingObject(bytesToHex(oid));
  }
  const { odb } = source;
  const isSymlink = (mode & typeMask) === typeOfSymlink;
  const limit =
    said.size > 0 && !isSymlink && wantsConversion(said)
      ? Math.max(largestConvertedBytes, odb.largeBytes)
      : odb.largeBytes;
  const object = reader === null ? odb.readUpTo(position, limit) : odb.readOnceUpTo(position, reader, limit);
  const kind = (mode & 0o100) === 0 ? "file" : "executable";
  const diff = said.get("diff");
  if (object === null) {
    // A link could not lead there: what is so large is a file, whatever its tree says.
    return {
      path,
      kind,
      oid,
      content: nothing,
      large: { size: odb.sizeAt(position), read: () => odb.readPieces(position) },
      diff,
    };
  }
  const content =
    isSymlink || said.size === 0
      ? object.bytes
      : convertContent(object.bytes, said, () => bytesToHex(oid), source.substitute);
  return { path, kind: isSymlink ? "symlink" : kind, oid, content, large: null, diff };
}

/** Enters a directory: reads its tree, and its .gitattributes file before anything that this may be about. */
function open({ odb }: EntrySource, oid: Uint8Array, path: string, attributes: AttributeStack): Directory {
  const tree = readTree(odb, oid);
  const search = new TreeCursor(tree, odb.format);
  const isFile = search.seek(attributesName) && (search.mode & typeMask) === 0o100000;
  const position = isFile ? odb.find(search.bytes, search.oidAt) : -1;
  const bytes = position < 0 ? null : (odb.readUpTo(position, largestAttributesFile)?.bytes ?? null);
  attributes.push(bytes === null ? null : latin1(bytes, 0, bytes.length), path.length);
  return { cursor: new TreeCursor(tree, odb.format), path, oid, written: path === "" };
}

/** Whether a path is in one of the wanted ones, or a directory on the way to one. */
function isWanted(path: string, limits: readonly string[], isTree: boolean): boolean {
  return (
    limits.length === 0 ||
    limits.some(
      (limit) =>
        path === limit || path === `${limit}/` || path.startsWith(`${limit}/`) || (isTree && limit.startsWith(path)),
    )
  );
}

function latin1(bytes: Uint8Array, start: number, end: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1", start, end);
}
