import { deflate } from "./deflate.ts";
import { closeSync, fsyncSync, openSync, writeSync } from "node:fs";
import type { ObjectFormat } from "../objects/object-format.ts";
import type { GitObject } from "../objects/object-type.ts";
import { writeEntryHeader } from "./pack-entry.ts";
import { readExactly } from "./window-cache.ts";

const chunkBytes = 1024 * 1024;

/** Writes all of `bytes` at `position` of a file. */
export function writeFully(descriptor: number, bytes: Uint8Array, position: number): void {
  for (let written = 0; written < bytes.length;) {
    written += writeSync(descriptor, bytes, written, bytes.length - written, position + written);
  }
}

/** Writes a whole new file and makes it durable; its place in the directory becomes so when it is published. */
export function writeSynced(path: string, bytes: Uint8Array): void {
  const descriptor = openSync(path, "w", 0o600);
  try {
    writeFully(descriptor, bytes, 0);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** The entry of a whole object, as it stands in a pack. */
export function packedEntry(object: GitObject): { headerBytes: number; bytes: Uint8Array } {
  const header = new Uint8Array(16);
  const headerBytes = writeEntryHeader(header, 0, object.type, object.bytes.length);
  return { headerBytes, bytes: Buffer.concat([header.subarray(0, headerBytes), deflate(object.bytes, 6)]) };
}

/** Writes a pack's header, and its checksum behind the entries, which end at `end`. Returns the checksum. `step` is called for each megabyte and may throw. */
export function sealPack(
  descriptor: number,
  path: string,
  format: ObjectFormat,
  objectCount: number,
  end: number,
  step?: () => void,
): Uint8Array {
  const header = Buffer.from("PACK\0\0\0\u0002\0\0\0\0", "latin1");
  header.writeUInt32BE(objectCount, 8);
  writeFully(descriptor, header, 0);
  const hasher = format.hasher();
  const buffer = new Uint8Array(Math.min(chunkBytes, end));
  for (let at = 0; at < end; at += chunkBytes) {
    const chunk = buffer.subarray(0, Math.min(chunkBytes, end - at));
    step?.();
    readExactly(descriptor, path, chunk, at);
    hasher.update(chunk);
  }
  const checksum = hasher.digest();
  writeFully(descriptor, checksum, end);
  return checksum;
}
