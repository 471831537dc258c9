import type { ByteSteps } from "../workers/job.ts";
import type { ArchiveEntry, EntryKind } from "./archive-entries.ts";
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

const zeros = new Uint8Array(blockBytes);

export interface TarOptions {
  /** hexadecimal oid of the commit, if it is the archive of one */
  readonly commit: string | null;
  /** time of all entries, seconds since 1970 */
  readonly seconds: number;
}

export function* writeTar(entries: Iterable<ArchiveEntry | undefined>, { commit, seconds }: TarOptions): ByteSteps {
  const output = new OutputBuffer();
  const time = Math.min(seconds, largestSeconds);
  const global = (commit === null ? "" : paxRecord("comment", commit)) + (seconds > time ? paxRecord("mtime", String(seconds)) : "");
  if (global !== "") {
    yield* output.write(header({ name: "pax_global_header", typeFlag: "g", mode: 0o666, size: global.length, seconds: time }));
    yield* padded(output, Buffer.from(global, "latin1"));
  }
  for (const entry of entries) {
    if (entry !== undefined) {
      yield* writeEntry(output, entry, time);
    }
    yield;
  }
  const rest = blockBytes - (output.written % blockBytes);
  yield* output.write(zeros.subarray(0, rest));
  if (rest < 2 * recordBytes) {
    yield* output.write(zeros);
  }
  yield* output.flush();
}

function* writeEntry(output: OutputBuffer, entry: ArchiveEntry, seconds: number): Generator<Uint8Array, void> {
  const { path, kind, oid, content } = entry;
  const target = kind === "symlink" ? Buffer.from(content.buffer, content.byteOffset, content.byteLength).toString("latin1") : "";
  const place = splitPath(path);
  const extended = (place === null ? paxRecord("path", path) : "") + (target.length > nameBytes ? paxRecord("linkpath", target) : "");
  if (extended !== "") {
    yield* output.write(header({ name: `${oid}.paxheader`, typeFlag: "x", mode: 0o666, size: extended.length, seconds }));
    yield* padded(output, Buffer.from(extended, "latin1"));
  }
  const isFile = kind === "file" || kind === "executable";
  yield* output.write(
    header({
      name: place?.name ?? `${oid}.data`,
      prefix: place?.prefix ?? "",
      link: target.length > nameBytes ? `see ${oid}.paxheader` : target,
      typeFlag: typeFlags[kind],
      mode: modes[kind],
      size: isFile ? content.length : 0,
      seconds,
    }),
  );
  if (isFile) {
    yield* padded(output, content);
  }
}

function* padded(output: OutputBuffer, content: Uint8Array): Generator<Uint8Array, void> {
  yield* output.write(content);
  yield* output.write(zeros.subarray(0, (recordBytes - (content.length % recordBytes)) % recordBytes));
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

const octal = (value: number, digits: number) => value.toString(8).padStart(digits, "0");

function header(fields: HeaderFields): Uint8Array {
  const bytes = Buffer.alloc(recordBytes);
  const put = (text: string, at: number, most = text.length) => bytes.write(text, at, most, "latin1");
  put(fields.name, 0, nameBytes);
  put(octal(fields.mode, 7), 100);
  put(octal(0, 7), 108);
  put(octal(0, 7), 116);
  put(octal(fields.size, 11), 124);
  put(octal(fields.seconds, 11), 136);
  put("        ", 148);
  put(fields.typeFlag, 156);
  put(fields.link ?? "", 157, nameBytes);
  put("ustar\x0000root", 257);
  put("root", 297);
  put(octal(0, 7), 329);
  put(octal(0, 7), 337);
  put(fields.prefix ?? "", 345, prefixBytes);
  let sum = 0;
  for (let at = 0; at < recordBytes; at++) {
    sum += bytes[at]!;
  }
  put(octal(sum, 7), 148);
  bytes[155] = 0;
  return bytes;
}
