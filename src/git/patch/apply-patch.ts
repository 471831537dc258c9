import type { FileChange } from "../edit/apply-changes.ts";
import { DiffTooCostly } from "../diff/diff-effort.ts";
import { maxTextBytes } from "../diff/side-content.ts";
import { hashObject } from "../objects/hash-object.ts";
import { ObjectType } from "../objects/object-type.ts";
import { bytesToHex } from "../objects/oid.ts";
import type { ObjectDatabase } from "../odb/object-database.ts";
import { applyDelta, deltaResultSize } from "../pack/delta.ts";
import { CorruptEntry } from "../pack/errors.ts";
import { findPath } from "../tree/find-path.ts";
import { applyHunks } from "./apply-hunks.ts";
import { isLinkMode, type BinaryPatch, type FilePatch } from "./file-patch.ts";
import { PatchRefused } from "./patch-refused.ts";

/** All files that a patch makes, together. */
const maxResultBytes = 256 * 1024 * 1024;

interface Content {
  readonly bytes: Uint8Array;
  readonly mode: number;
}

/** A file of the tree as it was, null for none, and what the patch has made of it so far. */
interface PatchedFile {
  readonly original: (Content & { readonly oid: string }) | null;
  now: Content | null;
  /** whether a part has put another file here */
  replaced: boolean;
}

/**
 * Applies a patch to the tree of a commit (null: an empty tree) and returns the changed files with their new content,
 * removals first. As in git, a part that changes a file continues from the result of earlier parts, and one that copies
 * or renames takes the original file. Each change expects the blob that was read here. Yields now and then. Throws
 * PatchRefused, MissingObject, CorruptObject, CorruptPack.
 */
export function* applyPatch(
  odb: ObjectDatabase,
  treeish: string | null,
  parts: readonly FilePatch[],
): Generator<void, FileChange[]> {
  const files = new Map<string, PatchedFile>();
  const vacated = new Set(parts.filter(({ from, to, copied }) => from !== to && !copied).map(({ from }) => from));
  let bytes = 0;
  for (const part of parts) {
    bytes += applyPart(odb, treeish, { files, vacated }, part);
    if (bytes > maxResultBytes) {
      throw new PatchRefused(`Cannot apply a patch whose files have more than ${maxResultBytes} bytes`, null);
    }
    yield;
  }
  const changes = [...files].map(([path, file]) => changeOf(path, file)).filter((change) => change !== null);
  // A file may become a directory, and the other way round.
  return [
    ...changes.filter(({ operation }) => operation === "delete"),
    ...changes.filter(({ operation }) => operation !== "delete"),
  ];
}

interface Progress {
  readonly files: Map<string, PatchedFile>;
  /** paths from which some part takes the file away */
  readonly vacated: ReadonlySet<string | null>;
}

/** Answers how many bytes the file has then. */
function applyPart(odb: ObjectDatabase, treeish: string | null, { files, vacated }: Progress, part: FilePatch): number {
  const { from, to } = part;
  const source = from === null ? null : open(odb, treeish, files, from);
  const isMoved = from !== null && to !== null && from !== to;
  const before = (isMoved ? source?.original : source?.now) ?? null;
  if (from !== null && before === null) {
    throw new PatchRefused(`Cannot apply the patch to "${from}": there is no such file`, from);
  }
  if (before !== null && part.oldMode !== null && isLinkMode(before.mode) !== isLinkMode(part.oldMode)) {
    throw new PatchRefused(
      `Cannot apply the patch to "${from}": one of the two is a symbolic link, the other a file`,
      from,
    );
  }
  const content = patched(odb, part, before);
  if (source !== null && !part.copied && from !== to && !source.replaced) {
    source.now = null;
  }
  if (to === null) {
    if (content.length > 0) {
      throw new PatchRefused(`Cannot remove "${from}" by the patch: it holds more than the patch knows`, from);
    }
    return 0;
  }
  const target = open(odb, treeish, files, to);
  // Two files may change places: what a part moves away, also a later one, is in nobody's way.
  if (from !== to && target.now !== null && (target.replaced || !vacated.has(to))) {
    throw new PatchRefused(`Cannot make "${to}" by the patch: it exists already`, to);
  }
  target.now = { bytes: content, mode: part.mode ?? before?.mode ?? 0o100644 };
  target.replaced ||= from !== to;
  return content.length;
}

function patched(odb: ObjectDatabase, part: FilePatch, before: Content | null): Uint8Array {
  const path = (part.to ?? part.from)!;
  const bytes = before?.bytes ?? new Uint8Array(0);
  if (part.binary !== null) {
    return applyBinary(odb, part.binary, bytes, path);
  }
  try {
    return part.hunks.length === 0 ? bytes : applyHunks(bytes, part.hunks, path);
  } catch (error) {
    throw error instanceof DiffTooCostly
      ? new PatchRefused(`Cannot apply the patch to "${path}": it would take too long`, path)
      : error;
  }
}

/** A binary patch names the contents before and after by their oids, which both must be right. */
function applyBinary(
  odb: ObjectDatabase,
  { kind, bytes, oldOid, newOid }: BinaryPatch,
  before: Uint8Array,
  path: string,
): Uint8Array {
  const { zeroHex, hexLength } = odb.format;
  const oidOf = (content: Uint8Array): string => bytesToHex(hashObject(odb.format, ObjectType.blob, content));
  if (oldOid.length !== hexLength || newOid.length !== hexLength) {
    throw new PatchRefused(`Cannot apply the binary patch of "${path}": it has no whole oids in its index line`, path);
  }
  if (oldOid !== zeroHex && oldOid !== oidOf(before)) {
    throw new PatchRefused(`Cannot apply the binary patch of "${path}": the file is not ${oldOid}`, path);
  }
  const after = kind === "literal" ? bytes : makeOfDelta(before, bytes, path);
  if (newOid === zeroHex ? after.length > 0 : newOid !== oidOf(after)) {
    throw new PatchRefused(`Cannot apply the binary patch of "${path}": what it makes is not ${newOid}`, path);
  }
  return after;
}

function makeOfDelta(before: Uint8Array, delta: Uint8Array, path: string): Uint8Array {
  try {
    const size = deltaResultSize(delta, 0, delta.length);
    if (size <= maxTextBytes) {
      const after = new Uint8Array(size);
      applyDelta(before, 0, before.length, delta, 0, delta.length, after, 0, size);
      return after;
    }
  } catch (error) {
    if (!(error instanceof CorruptEntry)) {
      throw error;
    }
  }
  throw new PatchRefused(`Cannot apply the binary patch of "${path}": its delta is damaged or makes too much`, path);
}

function open(odb: ObjectDatabase, treeish: string | null, files: Map<string, PatchedFile>, path: string): PatchedFile {
  let file = files.get(path);
  if (file === undefined) {
    const original = treeish === null ? null : readFile(odb, treeish, path);
    file = { original, now: original, replaced: false };
    files.set(path, file);
  }
  return file;
}

function readFile(odb: ObjectDatabase, treeish: string, path: string): PatchedFile["original"] {
  const item = findPath(odb, treeish, path);
  if (item === null || item.type === "tree") {
    return null;
  }
  if (item.type === "submodule" || item.size === null || item.size > maxTextBytes) {
    throw new PatchRefused(`Cannot apply the patch to "${path}": it is a submodule, or too large`, path);
  }
  const { bytes } = odb.readHex(item.oid);
  return { bytes, mode: item.mode, oid: item.oid };
}

/** Null when nothing is changed after all. */
function changeOf(path: string, { original, now }: PatchedFile): FileChange | null {
  if (original === null || now === null) {
    return original === now
      ? null
      : {
          operation: now === null ? "delete" : "create",
          path,
          fromPath: null,
          bytes: now?.bytes ?? null,
          mode: now?.mode ?? null,
          expectedOid: original?.oid ?? null,
        };
  }
  const isSame = original.mode === now.mode && Buffer.compare(original.bytes, now.bytes) === 0;
  return isSame
    ? null
    : { operation: "update", path, fromPath: null, bytes: now.bytes, mode: now.mode, expectedOid: original.oid };
}
