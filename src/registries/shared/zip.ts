import { isUtf8 } from "node:buffer";
import { callbackify } from "node:util";
import zlib from "node:zlib";
import yauzl from "yauzl";
import { clip } from "../../lib/show-value.ts";
import { BadPackage } from "./bad-package.ts";
import { checkEntryPath, inflate, freeBytes, type ArchiveLimits } from "./inflate.ts";

/**
 * Reads a zip archive by its central directory. Source: PKWARE's APPNOTE.TXT. `yauzl` reads the directory; what is taken out
 * is counted here, since an archive may say anything of its own sizes and let entries share bytes.
 */

const stored = 0;
const deflated = 8;
/** How much of the directory is read from disk at once. */
const windowBytes = 64 * 1024;
/** Unix's type of a file in the upper half of the attributes. */
const typeMask = 0o170000;
const linkType = 0o120000;
const endSignature = 0x06054b50;
const endBytes = 22;
const zip64EndSignature = 0x06064b50;
const zip64EndBytes = 56;

/** Where the data of an entry stands in its archive. */
export interface ZipPlace {
  /** Offset of its first byte. */
  readonly start: number;
  /** As it is stored, bytes. */
  readonly bytes: number;
  readonly deflated: boolean;
}

export interface ZipEntry {
  /** As it stands in the archive; that of a directory ends with a slash. */
  readonly path: string;
  /** Whether that is UTF-8; it was read as Latin-1 else. */
  readonly isUtf8: boolean;
  readonly kind: "file" | "directory" | "link";
  /** Bytes of its content, as the directory says; reading it throws if that is not so. */
  readonly size: number;
  /** The content, as often as wanted. Its size and its CRC are checked. */
  content(): AsyncGenerator<Uint8Array>;
  place(): Promise<ZipPlace>;
}

/**
 * Reads the entries of a zip archive in the order of its directory. Throws BadPackage for what is no such archive, for an entry that is encrypted or compressed by anything but
 * deflate, for a path that leads out of the archive, and for more than the limits allow: they
 * count what entries say of their sizes, and what is read of them.
 */
export async function* readZip(file: Blob, limits: ArchiveLimits): AsyncGenerator<ZipEntry> {
  const options = { decodeStrings: false, validateEntrySizes: true, autoClose: false };
  const zip = await inArchive(yauzl.fromRandomAccessReaderPromise(new BlobReader(file), file.size, options));
  const start = cursorOf(zip);
  let unpacked = 0;
  const listed = zip.eachEntry();
  for (let count = 1; ; count++) {
    const next = await inArchive(listed.next());
    if (next.done === true) {
      return checkEnd(file, start, cursorOf(zip));
    }
    const entry: yauzl.Entry = next.value;
    if (count > limits.entries) {
      throw new BadPackage(`The archive has more than ${limits.entries} entries`);
    }
    unpacked += entry.uncompressedSize;
    if (unpacked > limits.bytes) {
      throw new BadPackage(`The archive unpacks to more than ${limits.bytes} bytes`);
    }
    const path = decodePath(entry.fileNameRaw);
    if (unpacked > freeBytes && unpacked > file.size * limits.ratio) {
      throw new BadPackage(`The archive unpacks to more than ${limits.ratio} times its size`);
    }
    checkEntryPath(path);
    if (/\\|^[A-Za-z]:/.test(path)) {
      throw new BadPackage(`"${clip(path, 80)}" in the archive is a path of Windows; paths have slashes`);
    }
    if (entry.isEncrypted() || ![stored, deflated].includes(entry.compressionMethod)) {
      throw new BadPackage(
        `"${clip(path, 80)}" in the archive is encrypted, or compressed by something else than deflate`,
      );
    }
    const isLink = ((entry.externalFileAttributes >>> 16) & typeMask) === linkType;
    yield {
      path,
      isUtf8: isUtf8(entry.fileNameRaw),
      kind: path.endsWith("/") ? "directory" : isLink ? "link" : "file",
      size: entry.uncompressedSize,
      content: () => readEntry({ zip, file, entry, path }, limits),
      place: () => placeOf(zip, entry),
    };
  }
}

/** Where the library reads the directory on; its types say something else. */
const cursorOf = (zip: yauzl.ZipFile): number => zip.readEntryCursor as unknown as number;

/**
 * Checks that the end of the directory stands behind its last entry and says how long the directory is. Some readers find the directory by
 * its length: all of them read the same entries then.
 */
async function checkEnd(file: Blob, start: number, end: number): Promise<void> {
  const record = Buffer.from(await file.slice(end, end + zip64EndBytes).arrayBuffer());
  const signature = record.length < endBytes ? 0 : record.readUInt32LE(0);
  const isEnd =
    (signature === endSignature && record.readUInt32LE(12) === end - start) ||
    (signature === zip64EndSignature &&
      record.length === zip64EndBytes &&
      record.readBigUInt64LE(40) === BigInt(end - start));
  if (!isEnd) {
    throw new BadPackage("The zip archive is damaged: its directory does not end where it says");
  }
}

async function placeOf(zip: yauzl.ZipFile, entry: yauzl.Entry): Promise<ZipPlace> {
  const { fileDataStart } = await inArchive(zip.readLocalFileHeaderPromise(entry, { minimal: true }));
  return { start: fileDataStart, bytes: entry.compressedSize, deflated: entry.compressionMethod === deflated };
}

/** Most writers have UTF-8, whether they set the flag for it or not. */
function decodePath(raw: Buffer): string {
  return raw.toString(isUtf8(raw) ? "utf8" : "latin1");
}

async function* readEntry(
  { zip, file, entry, path }: { zip: yauzl.ZipFile; file: Blob; entry: yauzl.Entry; path: string },
  limits: ArchiveLimits,
): AsyncGenerator<Uint8Array> {
  const { start, bytes: packedBytes } = await placeOf(zip, entry);
  const packed = file.slice(start, start + packedBytes).stream() as unknown as AsyncIterable<Uint8Array>;
  const { ratio } = limits;
  const bytes = Math.min(limits.bytes, entry.uncompressedSize);
  const content =
    entry.compressionMethod === stored ? packed : inflate(packed, zlib.createInflateRaw(), { ratio, bytes });
  let crc = 0;
  let size = 0;
  for await (const piece of content) {
    crc = zlib.crc32(piece, crc);
    size += piece.length;
    yield piece;
  }
  if (size !== entry.uncompressedSize || crc !== entry.crc32) {
    throw new BadPackage(`"${clip(path, 80)}" in the archive is damaged: its size or its checksum is wrong`);
  }
}

/** Errors of `yauzl` are faults of the archive, unless the file could not be read. */
async function inArchive<Result>(reading: Promise<Result>): Promise<Result> {
  try {
    return await reading;
  } catch (error) {
    throw error instanceof ReadFailure
      ? error.cause
      : new BadPackage("This is no zip archive, or it is damaged or not whole", { cause: error });
  }
}

class ReadFailure extends Error {}

/** Gives `yauzl` the bytes of a file. It asks for a few at a time, so what lies around them is kept. */
class BlobReader extends yauzl.RandomAccessReader {
  #window = Buffer.alloc(0);
  #start = 0;

  constructor(private readonly file: Blob) {
    super();
  }

  override read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null, bytesRead?: number) => void,
  ): void {
    const fill = async (): Promise<number> => {
      await this.#fill(position, length);
      const start = position - this.#start;
      return this.#window.copy(buffer, offset, start, start + length);
    };
    callbackify(fill)((error: Error | null, bytesRead: number) =>
      callback(error === null ? null : new ReadFailure("The file could not be read", { cause: error }), bytesRead),
    );
  }

  async #fill(position: number, length: number): Promise<void> {
    if (position < this.#start || position + length > this.#start + this.#window.length) {
      const end = position + Math.max(length, windowBytes);
      this.#window = Buffer.from(await this.file.slice(position, end).arrayBuffer());
      this.#start = position;
    }
  }
}
