import zlib from "node:zlib";
import { isUtf8 } from "node:buffer";
import type { AttributeValue } from "../attributes/parse-attributes.ts";
import type { ByteSteps } from "../job/job.ts";
import type { ArchiveEntry, LargeContent } from "./archive-entries.ts";
import { DeflateSteps } from "./deflate-steps.ts";
import { PathTooLong } from "./errors.ts";
import { OutputBuffer } from "./output-buffer.ts";
import {
  centralHeader,
  dataDescriptor,
  localHeader,
  zipEnd,
  zipTime,
  type ZipEntryRecord,
  type ZipTime,
} from "./zip-records.ts";

const longestPath = 0xffff;

/** Attributes are those of Unix, in the form of version 2.3. */
const unixVersion = 0x0317;
const unixModes = { symlink: 0o120777, executable: 0o100755 } as const;
const utf8Flag = 1 << 11;
const directoryAttribute = 16;

export interface ZipOptions {
  /** hexadecimal oid of the commit, if it is the archive of one; it becomes the comment */
  readonly commit: string | null;
  /** time of all entries, seconds since 1970 */
  readonly seconds: number;
  /** 0 to 9 */
  readonly level: number;
}

/** A zip file with the entries, modes, times and flags that `git archive` gives it. Throws PathTooLong. */
export function* writeZip(entries: Iterable<ArchiveEntry | undefined>, options: ZipOptions): ByteSteps {
  const output = new OutputBuffer();
  const time = zipTime(options.seconds);
  const central: Buffer[] = [];
  for (const entry of entries) {
    if (entry === undefined) {
      yield;
      continue;
    }
    const written =
      entry.large === null
        ? yield* writeSmall(entry, options.level, time, output)
        : yield* writeLarge(entry, entry.large, options.level, time, output);
    central.push(centralHeader(written, time, entry.large !== null));
    yield;
  }
  const offset = output.written;
  for (const bytes of central) {
    yield* output.write(bytes);
  }
  yield* output.write(zipEnd(central.length, offset, output.written - offset, options.commit ?? ""));
  yield* output.flush();
}

function* writeSmall(
  entry: ArchiveEntry,
  level: number,
  time: ZipTime,
  output: OutputBuffer,
): Generator<Uint8Array | undefined, ZipEntryRecord> {
  const bare = describe(entry, output.written);
  const data = yield* compress(entry, level);
  const written: ZipEntryRecord = {
    ...bare,
    method: data.method,
    size: entry.kind === "directory" ? 0 : entry.content.length,
    compressedSize: data.bytes,
    crc: data.crc,
  };
  yield* output.write(localHeader(written, time, false));
  for (const bytes of data.pieces) {
    yield* output.write(bytes);
  }
  return written;
}

/** The size after compression is written behind the data, so that the compressed file need not be held as a whole. */
function* writeLarge(
  entry: ArchiveEntry,
  { size, read }: LargeContent,
  level: number,
  time: ZipTime,
  output: OutputBuffer,
): Generator<Uint8Array | undefined, ZipEntryRecord> {
  const deflate = new DeflateSteps(level);
  const bare = describe(entry, output.written);
  let isText = false;
  let start = -1;
  let crc = 0;
  for (const piece of read()) {
    if (start < 0 && piece.length > 0) {
      // With the beginning at hand, which says whether it is a text.
      isText = !isBinary(piece, entry.diff);
      yield* output.write(localHeader({ ...bare, isText, method: "deflated", size }, time, true));
      start = output.written;
    }
    crc = zlib.crc32(piece, crc);
    for (const bytes of deflate.write(piece)) {
      yield* output.write(bytes);
    }
    yield;
  }
  for (const bytes of deflate.finish()) {
    yield* output.write(bytes);
  }
  const written: ZipEntryRecord = {
    ...bare,
    isText,
    method: "deflated",
    size,
    compressedSize: output.written - start,
    crc,
  };
  yield* output.write(dataDescriptor(written));
  return written;
}

/** All that is known before the content is compressed. */
function describe({ path, kind, content, diff }: ArchiveEntry, offset: number): ZipEntryRecord {
  if (path.length > longestPath) {
    throw new PathTooLong(path, longestPath);
  }
  const bytes = Buffer.from(path, "latin1");
  const flags = bytes.some((byte) => byte >= 0x80) && isUtf8(bytes) ? utf8Flag : 0;
  const mode = kind === "symlink" || kind === "executable" ? unixModes[kind] : 0;
  return {
    path,
    creatorVersion: mode === 0 ? 0 : unixVersion,
    flags,
    method: "stored",
    crc: 0,
    compressedSize: 0,
    size: 0,
    isText: kind !== "directory" && !isBinary(content, diff),
    attributes: kind === "directory" ? directoryAttribute : mode * 2 ** 16,
    offset,
  };
}

interface Data {
  readonly method: "stored" | "deflated";
  readonly pieces: readonly Uint8Array[];
  readonly bytes: number;
  readonly crc: number;
}

/** The data of an entry: compressed where that makes it smaller. */
function* compress({ kind, content }: ArchiveEntry, level: number): Generator<undefined, Data> {
  let crc = 0;
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  if ((kind === "file" || kind === "executable") && content.length > 0 && level > 0) {
    for (const piece of deflate(content, level, (part) => (crc = zlib.crc32(part, crc)))) {
      pieces.push(piece);
      bytes += piece.length;
      yield;
    }
    if (bytes < content.length) {
      return { method: "deflated", pieces, bytes, crc };
    }
  }
  return { method: "stored", pieces: [content], bytes: content.length, crc: zlib.crc32(content) };
}

const pieceBytes = 128 * 1024;

function* deflate(
  content: Uint8Array,
  level: number,
  onPiece: (piece: Uint8Array) => void,
): Generator<Uint8Array, void> {
  if (content.length <= pieceBytes) {
    onPiece(content);
    yield zlib.deflateRawSync(content, { level });
    return;
  }
  const steps = new DeflateSteps(level);
  for (let at = 0; at < content.length; at += pieceBytes) {
    const piece = content.subarray(at, at + pieceBytes);
    onPiece(piece);
    yield* steps.write(piece);
  }
  yield* steps.finish();
}

/** How far git looks for a NUL. */
const searchedBytes = 8000;

/** Whether a file is text to git: what its `diff` attribute says, or else that no NUL is near its beginning. */
function isBinary(content: Uint8Array, diff: AttributeValue | undefined): boolean {
  return typeof diff === "boolean" ? !diff : content.subarray(0, searchedBytes).includes(0);
}
