import { Readable, type Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import zlib from "node:zlib";
import type { Forge } from "../../domain/spine/forge.ts";
import { StithyError } from "../../lib/errors.ts";
import { clip } from "../../lib/show-value.ts";
import { BadPackage } from "./bad-package.ts";

/** Limits for an archive. Sizes are counted while it is read, whatever the archive claims. */
export interface ArchiveLimits {
  /** Files, directories and links. */
  readonly entries: number;
  /** Bytes of everything in it after decompression. */
  readonly bytes: number;
  /** Bytes after decompression for each byte before. The first `freeBytes` may be more. */
  readonly ratio: number;
}

/** So much may come out of any archive, however small it is: a few repeated lines compress a thousandfold. */
export const freeBytes = 64 * 1024 * 1024;
const longestPath = 4096;

/** Returns the limits of archives that the settings name. */
export function archiveLimits({ config }: Pick<Forge, "config">): ArchiveLimits {
  const { archive_entries: entries, unpacked_limit_bytes: bytes, unpacked_ratio: ratio } = config.packages;
  return { entries, bytes, ratio };
}

/**
 * Decompresses a stream and holds a few chunks of it at a time. Throws BadPackage when it is damaged or ends early, and
 * as soon as it exceeds the limits; what reading the source throws stays as it is.
 */
export async function* inflate(
  source: AsyncIterable<Uint8Array>,
  decompressor: Transform,
  limits: Pick<ArchiveLimits, "bytes" | "ratio">,
): AsyncGenerator<Uint8Array> {
  let packed = 0;
  let unpacked = 0;
  let sourceFailure: { error: unknown } | null = null;
  async function* counted(): AsyncGenerator<Uint8Array> {
    try {
      for await (const piece of source) {
        packed += piece.length;
        yield piece;
      }
    } catch (error) {
      sourceFailure = { error };
      throw error;
    }
  }
  // An error reaches the reader through the decompressor.
  pipeline(Readable.from(counted(), { objectMode: true }), decompressor).catch(() => {});
  try {
    for await (const piece of decompressor as AsyncIterable<Uint8Array>) {
      unpacked += piece.length;
      if (unpacked > limits.bytes) {
        throw new BadPackage(`The archive unpacks to more than ${limits.bytes} bytes`);
      }
      if (unpacked > freeBytes && unpacked > packed * limits.ratio) {
        throw new BadPackage(`The archive unpacks to more than ${limits.ratio} times its size`);
      }
      yield piece;
    }
  } catch (error) {
    const { error: failure } = sourceFailure ?? { error };
    throw sourceFailure !== null || failure instanceof StithyError
      ? failure
      : new BadPackage("The compressed data is damaged or ends early", { cause: failure });
  } finally {
    decompressor.destroy();
  }
}

/** Decompresses gzip (RFC 1952) of one or more members, as inflate does. */
export function gunzip(
  source: AsyncIterable<Uint8Array>,
  limits: Pick<ArchiveLimits, "bytes" | "ratio">,
): AsyncGenerator<Uint8Array> {
  return inflate(source, zlib.createGunzip({ chunkSize: 64 * 1024 }), limits);
}

/** Throws BadPackage for the path of an entry that is absolute, leads out of the archive or is longer than 4,096 bytes. */
export function checkEntryPath(path: string): void {
  if (path === "" || path.length > longestPath || /^\/|\0|(?:^|\/)\.\.(?:\/|$)/.test(path)) {
    throw new BadPackage(`The archive has an entry of the path "${clip(path, 80)}", which is not one within it`);
  }
}

/** Returns the chunks as one buffer. Throws BadPackage when there are more than `limit` bytes. */
export async function readSmall(
  chunks: AsyncIterable<Uint8Array>,
  { path, limit }: { path: string; limit: number },
): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of chunks) {
    bytes += piece.length;
    if (bytes > limit) {
      throw new BadPackage(`"${clip(path, 80)}" in the archive has more than ${limit} bytes`);
    }
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}
