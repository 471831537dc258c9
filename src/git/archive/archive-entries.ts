import { AttributeStack } from "../attributes/attribute-stack.ts";
import { readTree } from "../diff/tree-diff.ts";
import { bytesToHex, hexToBytes } from "../objects/oid.ts";
import { MissingObject, type ObjectDatabase } from "../odb/object-database.ts";
import { UncachedReader } from "../pack/uncached-reader.ts";
import { findPath } from "../tree/find-path.ts";
import { TreeCursor } from "../tree/tree-cursor.ts";
import type { AttributeValue } from "../attributes/parse-attributes.ts";
import { convertContent } from "./convert-content.ts";
import { PathNotInTree } from "./errors.ts";

export type EntryKind = "directory" | "file" | "executable" | "symlink";

/** What an archive holds, in the order of the tree. Submodules are empty directories. */
export interface ArchiveEntry {
  /** each byte a character; a directory ends in a slash */
  readonly path: string;
  readonly kind: EntryKind;
  /** of the object that it comes from */
  readonly oid: Uint8Array;
  /** of a file, or where a symlink leads; shared with a cache, never to be written to; see also `readOnce` */
  readonly content: Uint8Array;
  /** what .gitattributes say of it under `diff` */
  readonly diff: AttributeValue | undefined;
}

export interface EntrySource {
  readonly odb: ObjectDatabase;
  /** hexadecimal oid of the root tree */
  readonly tree: string;
  readonly prefix: string;
  readonly paths: readonly string[];
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
const attributesName = Buffer.from(".gitattributes");
const noAttributes: ReadonlyMap<string, AttributeValue> = new Map();

const typeMask = 0o170000;
const typeOfTree = 0o040000;
const typeOfSymlink = 0o120000;
const typeOfSubmodule = 0o160000;

/**
 * Goes through a tree as `git archive` does: without what .gitattributes gives `export-ignore`, with the line ends and
 * keywords that they ask for. Yields nothing at points where others may have their turn.
 * Throws MissingObject, CorruptObject, CorruptPack; PathNotInTree before anything else.
 */
export function* archiveEntries(source: EntrySource): Generator<ArchiveEntry | undefined, void> {
  const { odb, prefix, paths } = source;
  for (const path of paths) {
    if (findPath(odb, source.tree, path) === null) {
      throw new PathNotInTree(path);
    }
  }
  const limits = paths.map((path) => Buffer.from(path, "utf8").toString("latin1"));
  const base = Buffer.from(prefix, "utf8").toString("latin1");
  if (base.endsWith("/")) {
    yield directory(base.replace(/(?!^)\/+$/, "/"), hexToBytes(source.tree));
  }
  const reader = source.readOnce ? new UncachedReader() : null;
  const attributes = new AttributeStack();
  const stack = [open(source, hexToBytes(source.tree), "", attributes)];
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    const { cursor } = top;
    if (!cursor.valid) {
      stack.pop();
      attributes.pop();
      continue;
    }
    const type = cursor.mode & typeMask;
    const isDirectory = type === typeOfTree || type === typeOfSubmodule;
    const name = latin1(cursor.bytes, cursor.nameAt, cursor.nameEnd);
    const path = `${top.path}${name}${isDirectory ? "/" : ""}`;
    const oid = cursor.oid();
    const { mode } = cursor;
    cursor.next();
    if (!isWanted(path, limits, type === typeOfTree)) {
      continue;
    }
    const said = attributes.isEmpty ? noAttributes : attributes.of(path);
    const ignored = said.get("export-ignore") === true;
    if (type === typeOfTree) {
      if (!ignored) {
        stack.push(open(source, oid, path, attributes));
      }
      yield;
      continue;
    }
    for (const parent of stack) {
      if (!parent.written) {
        parent.written = true;
        yield directory(base + parent.path, parent.oid);
      }
    }
    if (!ignored) {
      yield type === typeOfSubmodule ? directory(base + path, oid) : file(source, reader, base + path, mode, oid, said);
    }
  }
}

function directory(path: string, oid: Uint8Array): ArchiveEntry {
  return { path, kind: "directory", oid, content: nothing, diff: undefined };
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
  const { bytes } = reader === null ? source.odb.read(position) : source.odb.readOnce(position, reader);
  const isSymlink = (mode & typeMask) === typeOfSymlink;
  const content = isSymlink || said.size === 0 ? bytes : convertContent(bytes, said, () => bytesToHex(oid), source.substitute);
  const kind = isSymlink ? "symlink" : (mode & 0o100) === 0 ? "file" : "executable";
  return { path, kind, oid, content, diff: said.get("diff") };
}

/** Enters a directory: reads its tree, and its .gitattributes file before anything that this may be about. */
function open({ odb }: EntrySource, oid: Uint8Array, path: string, attributes: AttributeStack): Directory {
  const tree = readTree(odb, oid);
  const search = new TreeCursor(tree, odb.format);
  const isFile = search.seek(attributesName) && (search.mode & typeMask) === 0o100000;
  const position = isFile ? odb.find(search.bytes, search.oidAt) : -1;
  const bytes = position < 0 ? null : odb.read(position).bytes;
  attributes.push(bytes === null ? null : latin1(bytes, 0, bytes.length), path.length);
  return { cursor: new TreeCursor(tree, odb.format), path, oid, written: path === "" };
}

/** Whether a path is in one of the wanted ones, or a directory on the way to one. */
function isWanted(path: string, limits: readonly string[], isTree: boolean): boolean {
  return limits.length === 0 || limits.some((limit) => path === limit || path === `${limit}/` || path.startsWith(`${limit}/`) || (isTree && limit.startsWith(path)));
}

function latin1(bytes: Uint8Array, start: number, end: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1", start, end);
}
