import { createHash } from "node:crypto";
import zlib from "node:zlib";
import { clip } from "../../lib/show-value.ts";
import { BadPackage } from "../shared/bad-package.ts";
import { gunzip, readSmall, type ArchiveLimits } from "../shared/inflate.ts";
import { readTar } from "../shared/tar.ts";

/*
 * Packages of Alpine's apk, version 2: gzip members one after the other, each with a part of a tar archive. The first ones sign
 * (".SIGN.RSA.KEYNAME"), the next one is the control segment with ".PKGINFO", and all that follows is the data. Source: the
 * Alpine wiki, "Apk spec"; abuild(1).
 */

/** The fields of a package. Texts are of one line. */
export interface AlpinePackage {
  readonly name: string;
  readonly version: string;
  readonly architecture: string;
  /** Each field of .PKGINFO by its key, with all values that it has. */
  readonly fields: ReadonlyMap<string, readonly string[]>;
  /** SHA-1 of the control segment as it is compressed: what an index knows the package by. */
  readonly controlSha1: Buffer;
}

/** Members before the data are small; apk itself reads them into memory. */
const largestMember = 4 * 1024 * 1024;
const largestUnpackedMember = 16 * 1024 * 1024;
const largestPkgInfo = 256 * 1024;
/** Signatures of several keys may stand before the control segment. */
const mostSignatures = 8;

const namePattern = /^[A-Za-z0-9][A-Za-z0-9+_.-]{0,127}$/;
const versionPattern =
  /^[0-9]+(?:\.[0-9]+)*[a-z]?(?:_(?:alpha|beta|pre|rc|cvs|svn|git|hg|p)[0-9]*)*(?:~[0-9a-f]+)?(?:-r[0-9]+)?$/;
const architecturePattern = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/;
const digestPattern = /^[0-9a-f]{64}$/;
const longestVersion = 128;

/** Reads a package, and holds no more of it than its control segment. Throws BadPackage. */
export async function parseApk(file: Blob, limits: ArchiveLimits): Promise<AlpinePackage> {
  if ((await file.slice(0, 3).text()) === "ADB") {
    throw new BadPackage("This is a package of apk version 3; build it in the format of version 2");
  }
  let at = 0;
  for (let number = 0; number <= mostSignatures; number++) {
    const member = await readMember(file, at);
    at += member.bytes.length;
    const info = await findPkgInfo(member.content, limits);
    if (info !== null) {
      const described = parsePkgInfo(info);
      await checkData(file.slice(at), described.fields.get("datahash")?.[0], limits);
      return { ...described, controlSha1: createHash("sha1").update(member.bytes).digest() };
    }
  }
  throw new BadPackage("The package has no .PKGINFO behind its signatures");
}

/** A member of a gzip file. */
interface Member {
  /** As it is compressed, with its header and trailer. */
  readonly bytes: Buffer;
  readonly content: Buffer;
}

async function readMember(file: Blob, start: number): Promise<Member> {
  const bytes = Buffer.from(await file.slice(start, start + largestMember).arrayBuffer());
  const headerLength = gzipHeaderLength(bytes);
  let content: Buffer;
  let consumed: number;
  try {
    // The types know nothing of `info`, which says where the compressed data ends.
    const inflated = zlib.inflateRawSync(bytes.subarray(headerLength), {
      info: true,
      maxOutputLength: largestUnpackedMember,
    }) as unknown as { buffer: Buffer; engine: { bytesWritten: number } };
    content = inflated.buffer;
    consumed = inflated.engine.bytesWritten;
  } catch (error) {
    throw new BadPackage("The package is damaged, not whole, or its control segment is too large", { cause: error });
  }
  const end = headerLength + consumed;
  if (end + 8 > bytes.length || bytes.readUInt32LE(end) !== zlib.crc32(content)) {
    throw new BadPackage("The package is damaged: a checksum of gzip is wrong");
  }
  return { bytes: bytes.subarray(0, end + 8), content };
}

/** RFC 1952, section 2.3. */
function gzipHeaderLength(bytes: Buffer): number {
  if (bytes.length < 18 || bytes[0] !== 0x1f || bytes[1] !== 0x8b || bytes[2] !== 8) {
    throw new BadPackage("This is no package of apk: it is not compressed with gzip");
  }
  const flags = bytes[3] ?? 0;
  let at = 10;
  if ((flags & 4) !== 0) {
    at += 2 + bytes.readUInt16LE(at);
  }
  // A name and a comment end with NUL.
  for (const flag of [8, 16]) {
    if ((flags & flag) !== 0) {
      const end = bytes.indexOf(0, at);
      at = end < 0 ? bytes.length : end + 1;
    }
  }
  at += (flags & 2) === 0 ? 0 : 2;
  if (at >= bytes.length) {
    throw new BadPackage("The package is damaged: the header of gzip does not end");
  }
  return at;
}

/** The content of .PKGINFO in a segment; null for a segment of signatures. Throws BadPackage for any other segment. */
async function findPkgInfo(segment: Buffer, limits: ArchiveLimits): Promise<string | null> {
  let isSigned = false;
  for await (const entry of readTar(once(segment), limits)) {
    if (entry.path === ".PKGINFO" && entry.kind === "file") {
      return (await readSmall(entry.content(), { path: ".PKGINFO", limit: largestPkgInfo })).toString("utf8");
    }
    isSigned ||= entry.path.startsWith(".SIGN.");
  }
  if (!isSigned) {
    throw new BadPackage("The package has no .PKGINFO");
  }
  return null;
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** Lines of the form "key = value"; a key that comes again has several values. */
function parsePkgInfo(text: string): Omit<AlpinePackage, "controlSha1"> {
  const fields = new Map<string, string[]>();
  for (const line of text.split("\n")) {
    const equals = Math.max(line.indexOf("="), 0);
    const [key, value] = [line.slice(0, equals).trimEnd(), line.slice(equals + 1).trim()];
    if (!/^[A-Za-z_]+$/.test(key) || value === "") {
      continue;
    }
    if (/\p{Cc}/u.test(value)) {
      throw new BadPackage(`The field "${clip(key, 80)}" of .PKGINFO has a control character`);
    }
    const values = fields.get(key) ?? [];
    values.push(value);
    fields.set(key, values);
  }
  return {
    name: getField(fields, "pkgname", namePattern),
    version: getField(fields, "pkgver", versionPattern),
    architecture: getField(fields, "arch", architecturePattern),
    fields,
  };
}

function getField(fields: ReadonlyMap<string, readonly string[]>, key: string, pattern: RegExp): string {
  const value = fields.get(key)?.[0];
  if (value === undefined) {
    throw new BadPackage(`.PKGINFO has no field "${key}"`);
  }
  if (value.length > longestVersion || !pattern.test(value)) {
    throw new BadPackage(`"${clip(value, 80)}" is not what the field "${key}" of .PKGINFO may be`);
  }
  return value;
}

/** The control segment has the SHA-256 of the data. Where it has none, the data is read to its end instead. */
async function checkData(data: Blob, sha256: string | undefined, limits: ArchiveLimits): Promise<void> {
  const chunks = data.stream() as unknown as AsyncIterable<Uint8Array>;
  if (sha256 === undefined || !digestPattern.test(sha256)) {
    for await (const entry of readTar(gunzip(chunks, limits), limits)) {
      void entry;
    }
    return;
  }
  const hash = new Bun.CryptoHasher("sha256");
  for await (const chunk of chunks) {
    hash.update(chunk);
  }
  if (hash.digest("hex") !== sha256) {
    throw new BadPackage("The package is damaged or not whole: its data has another SHA-256 than .PKGINFO says");
  }
}
