import { writeSync } from "node:fs";
import zlib from "node:zlib";
import type { Hasher, ObjectFormat } from "../objects/object-format.ts";
import type { GitObject } from "../objects/object-type.ts";
import type { EntryTable } from "./entry-table.ts";
import { writeEntryHeader } from "./pack-entry.ts";
import { readExactly } from "./window-cache.ts";

const chunkBytes = 1024 * 1024;

/** Writes all of `bytes` at `position` of a file. */
export function writeFully(descriptor: number, bytes: Uint8Array, position: number): void {
  for (let written = 0; written < bytes.length; ) {
    written += writeSync(descriptor, bytes, written, bytes.length - written, position + written);
  }
}

/** The entry of a whole object, as it stands in a pack. */
export function packedEntry(object: GitObject): { headerBytes: number; bytes: Uint8Array } {
  const header = new Uint8Array(16);
  const headerBytes = writeEntryHeader(header, 0, object.type, object.bytes.length);
  return { headerBytes, bytes: Buffer.concat([header.subarray(0, headerBytes), zlib.deflateSync(object.bytes)]) };
}

/**
 * Makes a thin pack stand alone: writes the entries of the table from `firstAdded` on, whose objects it lacks, over its
 * checksum, then the new count and a new checksum, which is returned. Fills in the columns of these entries.
 * `read(n)` gives the object of the n-th of them.
 */
export function completeThinPack(
  descriptor: number,
  path: string,
  format: ObjectFormat,
  table: EntryTable,
  firstAdded: number,
  read: (number: number) => GitObject,
): Uint8Array {
  let end = table.offsets[firstAdded]!;
  for (let entry = firstAdded; entry < table.count; entry++) {
    const { headerBytes, bytes } = packedEntry(read(entry - firstAdded));
    writeFully(descriptor, bytes, end);
    table.offsets[entry] = end;
    table.headerBytes[entry] = headerBytes;
    table.crcs[entry] = Bun.hash.crc32(bytes);
    end += bytes.length;
    table.offsets[entry + 1] = end;
  }
  const count = new Uint8Array(4);
  new DataView(count.buffer).setUint32(0, table.count);
  writeFully(descriptor, count, 8);
  const hasher = format.hasher();
  hashFile(descriptor, path, end, hasher);
  const checksum = hasher.digest();
  writeFully(descriptor, checksum, end);
  return checksum;
}

function hashFile(descriptor: number, path: string, end: number, hasher: Hasher): void {
  const buffer = new Uint8Array(chunkBytes);
  for (let at = 0; at < end; at += chunkBytes) {
    const chunk = buffer.subarray(0, Math.min(chunkBytes, end - at));
    readExactly(descriptor, path, chunk, at);
    hasher.update(chunk);
  }
}
