import { clip } from "../../lib/show-value.ts";
import { BadPackage } from "./bad-package.ts";
import { checkEntryPath, type ArchiveLimits } from "./inflate.ts";

/**
 * Reads a tar archive while it comes. It is a row of entries: a header of 512 bytes, then the content, filled up with NUL to a
 * multiple of 512. Two blocks of NUL end it; archives without them are read, too. An extended header (type "x", or "L" and "K" of GNU tar)
 * says what does not fit into the header behind it. Source: POSIX.1-2017, pax, "ustar Interchange Format" and "pax Header
 * Block"; the GNU tar manual, "Basic Tar Format". The library tar-stream holds extended headers of any length in memory, and believes
 * every size that one names.
 */

const blockBytes = 512;
/** Longest extended header: it is held in memory. */
const extendedBytes = 64 * 1024;

type TarKind = "file" | "directory" | "link" | "other";

export interface TarEntry {
  /** As it stands in the archive: "./control", "pkg/DESCRIPTION", "dir/". */
  readonly path: string;
  readonly kind: TarKind;
  /** Bytes of its content; 0 for what is no file. */
  readonly size: number;
  /** Permissions. */
  readonly mode: number;
  /** Seconds since 1970. */
  readonly modifiedAt: number;
  /** The content. It can be read once, before the next entry is asked for; what is left of it is passed over. */
  content(): AsyncGenerator<Uint8Array>;
}

/** The fields of an extended header for the entry after it. */
interface Extended {
  path?: string;
  size?: number;
}

/**
 * Reads the entries of a tar archive that is decompressed, one at a time. Nothing is held but a chunk, and an extended header of at most
 * 64 KiB. It reads to the end of the source, behind the end of the archive, too. Throws BadPackage for what is no such archive, for a path that
 * leads out of it and for more entries than allowed.
 */
export async function* readTar(
  source: AsyncIterable<Uint8Array>,
  limits: Pick<ArchiveLimits, "entries">,
): AsyncGenerator<TarEntry> {
  const bytes = new ByteReader(source);
  let entries = 0;
  let extended: Extended = {};
  try {
    for (;;) {
      const block = await bytes.take(blockBytes);
      if (block === null || isZero(block)) {
        break;
      }
      const header = parseHeader(block);
      if (++entries > limits.entries) {
        throw new BadPackage(`The archive has more than ${limits.entries} entries`);
      }
      if (header.type in extendedTypes) {
        const content = await takeExtended(bytes, header.size);
        Object.assign(extended, extendedTypes[header.type as keyof typeof extendedTypes](content));
        continue;
      }
      const kind = kindOf(header.type, header.path);
      const size = kind === "file" || kind === "other" ? (extended.size ?? header.size) : 0;
      const path = extended.path ?? header.path;
      checkEntryPath(path);
      extended = {};
      const content = bytes.part(size);
      yield { path, kind, size, mode: header.mode, modifiedAt: header.modifiedAt, content: () => content.read() };
      await content.skip();
      await bytes.skip(padding(size));
    }
    await bytes.drain();
  } finally {
    await bytes.close();
  }
}

const padding = (size: number): number => (blockBytes - (size % blockBytes)) % blockBytes;

const isZero = (block: Uint8Array): boolean => block.every((byte) => byte === 0);

interface Header {
  path: string;
  type: string;
  size: number;
  mode: number;
  modifiedAt: number;
}

function parseHeader(block: Buffer): Header {
  // The checksum counts its own field as blanks.
  let sum = 8 * 0x20;
  for (let at = 0; at < blockBytes; at++) {
    sum += at >= 148 && at < 156 ? 0 : block[at]!;
  }
  if (parseNumber(block, 148, 8) !== sum) {
    throw new BadPackage("This is no tar archive, or it is damaged: the checksum of a header is wrong");
  }
  const name = parseText(block, 0, 100);
  // GNU tar has other things where ustar has the beginning of the path.
  const prefix = block.toString("latin1", 257, 263) === "ustar\0" ? parseText(block, 345, 155) : "";
  return {
    path: prefix === "" ? name : `${prefix}/${name}`,
    type: String.fromCharCode(block[156]!),
    size: parseNumber(block, 124, 12),
    mode: parseNumber(block, 100, 8) & 0o7777,
    modifiedAt: parseNumber(block, 136, 12, true),
  };
}

function parseText(block: Buffer, start: number, length: number): string {
  const field = block.subarray(start, start + length);
  const end = field.indexOf(0);
  return field.toString("utf8", 0, end < 0 ? length : end);
}

/** Octal digits; or, with the highest bit set, a number of 95 bits (GNU tar), of which those are taken that a double holds exactly. */
function parseNumber(block: Buffer, start: number, length: number, mayBeNegative = false): number {
  if ((block[start]! & 0x80) !== 0) {
    const isNegative = (block[start]! & 0x40) !== 0;
    let value = isNegative ? -1n : 0n;
    for (let at = start; at < start + length; at++) {
      value = (value << 8n) | BigInt(at === start && !isNegative ? block[at]! & 0x7f : block[at]!);
    }
    const number = Number(value);
    if (!Number.isSafeInteger(number) || (number < 0 && !mayBeNegative)) {
      throw new BadPackage("The archive has a header with a number that is too large");
    }
    return number;
  }
  const text = block.toString("latin1", start, start + length).replace(/^[ \0]+|[ \0][\s\S]*$/g, "");
  if (!/^[0-7]*$/.test(text)) {
    throw new BadPackage("This is no tar archive, or it is damaged: a header has a number that is none");
  }
  return text === "" ? 0 : Number.parseInt(text, 8);
}

function kindOf(type: string, path: string): TarKind {
  switch (type) {
    case "0":
    case "\0":
    case "7":
      return type === "\0" && path.endsWith("/") ? "directory" : "file";
    case "5":
      return "directory";
    case "1":
    case "2":
    case "3":
    case "4":
    case "6":
      return "link";
    case "S":
      throw new BadPackage("The archive has a sparse file of GNU tar; write it without --sparse");
    default:
      return "other";
  }
}

/** Types of headers that are no entries, and how their content is read. */
const extendedTypes = {
  x: parsePax,
  g: () => ({}),
  L: (content: Buffer): Extended => ({ path: parseText(content, 0, content.length) }),
  K: () => ({}),
};

async function takeExtended(bytes: ByteReader, size: number): Promise<Buffer> {
  if (size > extendedBytes) {
    throw new BadPackage(`The archive has an extended header of more than ${extendedBytes} bytes`);
  }
  const content = await bytes.take(size);
  if (content === null && size > 0) {
    throw endsEarly();
  }
  await bytes.skip(padding(size));
  return content ?? Buffer.alloc(0);
}

/** Records of the form "LENGTH KEY=VALUE\n", where the length counts the whole record. */
function parsePax(content: Buffer): Extended {
  const extended: Extended = {};
  for (let at = 0; at < content.length;) {
    const blank = content.indexOf(0x20, at);
    const digits = blank < 0 ? "" : content.toString("latin1", at, blank);
    const end = at + Number(digits);
    if (!/^[1-9]\d{0,7}$/.test(digits) || end > content.length || content[end - 1] !== 0x0a) {
      throw new BadPackage("The archive has an extended header that cannot be read");
    }
    const record = content.toString("utf8", blank + 1, end - 1);
    const equals = record.indexOf("=");
    const value = record.slice(equals + 1);
    switch (record.slice(0, equals)) {
      case "path":
        extended.path = value;
        break;
      case "size": {
        const size = Number(value);
        if (!/^\d{1,16}$/.test(value) || !Number.isSafeInteger(size)) {
          throw new BadPackage(`The archive has an extended header with the size "${clip(value, 80)}"`);
        }
        extended.size = size;
        break;
      }
    }
    at = end;
  }
  return extended;
}

const endsEarly = (): BadPackage => new BadPackage("The archive ends in the middle of an entry");

/** Bytes of a source by their number, of which a chunk is held. */
class ByteReader {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #chunk: Uint8Array = new Uint8Array(0);
  #at = 0;

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#chunks = source[Symbol.asyncIterator]();
  }

  /** At least one and at most `limit` bytes; null at the end. */
  async some(limit: number): Promise<Uint8Array | null> {
    while (this.#at >= this.#chunk.length) {
      const { value, done } = await this.#chunks.next();
      if (done === true) {
        return null;
      }
      this.#chunk = value;
      this.#at = 0;
    }
    const piece = this.#chunk.subarray(this.#at, this.#at + limit);
    this.#at += piece.length;
    return piece;
  }

  /** So many bytes in a buffer of their own; null if the source has ended. Throws BadPackage if it ends within them. */
  async take(count: number): Promise<Buffer | null> {
    const taken = Buffer.alloc(count);
    for (let filled = 0; filled < count;) {
      const piece = await this.some(count - filled);
      if (piece === null) {
        if (filled === 0) {
          return null;
        }
        throw endsEarly();
      }
      taken.set(piece, filled);
      filled += piece.length;
    }
    return taken;
  }

  /** The next so many bytes, to be read once or passed over. */
  part(count: number): { read(): AsyncGenerator<Uint8Array>; skip(): Promise<void> } {
    let left = count;
    const next = async (): Promise<Uint8Array | null> => {
      if (left === 0) {
        return null;
      }
      const piece = await this.some(left);
      if (piece === null) {
        throw endsEarly();
      }
      left -= piece.length;
      return piece;
    };
    return {
      async *read() {
        for (let piece = await next(); piece !== null; piece = await next()) {
          yield piece;
        }
      },
      async skip() {
        while ((await next()) !== null);
      },
    };
  }

  async skip(count: number): Promise<void> {
    await this.part(count).skip();
  }

  async drain(): Promise<void> {
    while ((await this.some(Number.MAX_SAFE_INTEGER)) !== null);
  }

  async close(): Promise<void> {
    await this.#chunks.return?.();
  }
}
