import { bytesToHex } from "../objects/oid.ts";
import type { ByteSteps } from "../job/job.ts";
import type { ArchiveEntry, EntryKind, LargeContent } from "./archive-entries.ts";
import { OutputBuffer } from "./output-buffer.ts";

/*
 * A tar file as POSIX.1-2001 describes it under pax: for each entry a header of 512 bytes and the content, filled up to
 * a multiple of that. What does not fit into a header stands in records `<length> <key>=<value>\n` of an extended header
 * before it. The whole is filled up with zeros, two headers at least, to a multiple of 10240 bytes. Modes, owners and the
 * names of extended headers are as `git archive` writes them, so that archives are equal byte by byte.
 */

const recordBytes = 512;
const blockBytes = 20 * recordBytes;
const nameBytes = 100;
const prefixBytes = 155;
/** The largest number in eleven octal digits. */
const largestSeconds = 0o77777777777;

const modes: Readonly<Record<EntryKind, number>> = { directory: 0o775, file: 0o664, executable: 0o775, symlink: 0o777 };
const typeFlags: Readonly<Record<EntryKind, string>> = { directory: "5", file: "0", executable: "0", symlink: "2" };

export interface TarOptions {
  /** hexadecimal oid of the commit, if it is the archive of one */
  readonly commit: string | null;
  /** time of all entries, seconds since 1970 */
  readonly seconds: number;
}

export function* writeTar(entries: Iterable<ArchiveEntry | undefined>, { commit, seconds }: TarOptions): ByteSteps {
  const output = new OutputBuffer();
  const time = Math.min(seconds, largestSeconds);
  const global =
    (commit === null ? "" : paxRecord("comment", commit)) + (seconds > time ? paxRecord("mtime", String(seconds)) : "");
  if (global !== "") {
    output.add(header({ name: "pax_global_header", typeFlag: "g", mode: 0o666, size: global.length, seconds: time }));
    yield* padded(output, Buffer.from(global, "latin1"));
  }
  for (const entry of entries) {
    if (entry !== undefined) {
      const { kind, content, large } = entry;
      addHeaders(output, entry, time);
      if (large !== null) {
        yield* inPieces(output, large);
      } else {
        yield* kind === "file" || kind === "executable" ? padded(output, content) : output.drain();
      }
    }
    yield;
  }
  const rest = blockBytes - (output.written % blockBytes);
  output.addZeros(rest < 2 * recordBytes ? rest + blockBytes : rest);
  yield* output.flush();
}

function addHeaders(output: OutputBuffer, entry: ArchiveEntry, seconds: number): void {
  const { path, kind, content, large } = entry;
  const target =
    kind === "symlink" ? Buffer.from(content.buffer, content.byteOffset, content.byteLength).toString("latin1") : "";
  const place = splitPath(path);
  const extended =
    (place === null ? paxRecord("path", path) : "") + (target.length > nameBytes ? paxRecord("linkpath", target) : "");
  const oid = extended === "" ? "" : bytesToHex(entry.oid);
  if (extended !== "") {
    output.add(header({ name: `${oid}.paxheader`, typeFlag: "x", mode: 0o666, size: extended.length, seconds }));
    output.add(Buffer.from(extended, "latin1"));
    output.addZeros(paddingOf(extended.length));
  }
  const isFile = kind === "file" || kind === "executable";
  output.add(
    header({
      name: place?.name ?? `${oid}.data`,
      prefix: place?.prefix ?? "",
      link: target.length > nameBytes ? `see ${oid}.paxheader` : target,
      typeFlag: typeFlags[kind],
      mode: modes[kind],
      size: isFile ? (large?.size ?? content.length) : 0,
      seconds,
    }),
  );
}

/** The content is taken before anything is yielded, unless it is large: see `readOnce` in archive-entries.ts. */
function* padded(output: OutputBuffer, content: Uint8Array): Generator<Uint8Array, void> {
  yield* output.write(content);
  output.addZeros(paddingOf(content.length));
}

function* inPieces(output: OutputBuffer, { size, read }: LargeContent): ByteSteps {
  for (const piece of read()) {
    yield* output.write(piece);
    yield;
  }
  output.addZeros(paddingOf(size));
}

function paddingOf(length: number): number {
  return (recordBytes - (length % recordBytes)) % recordBytes;
}

/** `length` counts itself. */
function paxRecord(key: string, value: string): string {
  const rest = key.length + value.length + 3;
  let digits = 1;
  while (String(rest + digits).length > digits) {
    digits++;
  }
  return `${rest + digits} ${key}=${value}\n`;
}

/** The two fields of a header that a path fits into; null when it does not. The split is at the last slash that leaves the first one short enough. */
function splitPath(path: string): { prefix: string; name: string } | null {
  if (path.length <= nameBytes) {
    return { prefix: "", name: path };
  }
  const end = path.endsWith("/") ? path.length - 1 : path.length;
  const slash = path.lastIndexOf("/", Math.min(end, prefixBytes) - 1);
  const name = path.slice(slash + 1);
  return slash > 0 && name.length <= nameBytes ? { prefix: path.slice(0, slash), name } : null;
}

interface HeaderFields {
  readonly name: string;
  readonly prefix?: string;
  readonly link?: string;
  readonly typeFlag: string;
  readonly mode: number;
  readonly size: number;
  readonly seconds: number;
}

/** Filled anew for each header. */
const bytes = Buffer.alloc(recordBytes);
const prefixAt = 345;

/** A header, valid until the next one. */
function header(fields: HeaderFields): Uint8Array {
  const { link = "", prefix = "" } = fields;
  bytes.fill(0);
  bytes.write(fields.name, 0, nameBytes, "latin1");
  putOctal(fields.mode, 100, 7);
  putOctal(0, 108, 7);
  putOctal(0, 116, 7);
  putOctal(fields.size, 124, 11);
  putOctal(fields.seconds, 136, 11);
  bytes.fill(0x20, 148, 156);
  bytes.write(fields.typeFlag, 156, 1, "latin1");
  if (link !== "") {
    bytes.write(link, 157, nameBytes, "latin1");
  }
  bytes.write("ustar\x0000root", 257, 12, "latin1");
  bytes.write("root", 297, 4, "latin1");
  putOctal(0, 329, 7);
  putOctal(0, 337, 7);
  if (prefix !== "") {
    bytes.write(prefix, prefixAt, prefixBytes, "latin1");
  }
  let sum = 0;
  for (let at = 0; at < (prefix === "" ? prefixAt : recordBytes); at++) {
    sum += bytes[at]!;
  }
  putOctal(sum, 148, 7);
  bytes[155] = 0;
  return bytes;
}

function putOctal(value: number, at: number, digits: number): void {
  let rest = value;
  for (let digit = at + digits - 1; digit >= at; digit--) {
    bytes[digit] = 0x30 + (rest % 8);
    rest = Math.floor(rest / 8);
  }
}
