import { open } from "node:fs/promises";
import type { ObjectFormat } from "../objects/object-format.ts";
import { bytesToHex } from "../objects/oid.ts";
import { CorruptPack } from "./errors.ts";

const pieceBytes = 1024 * 1024;

/**
 * Reads a pack or the index of one in pieces of at most 1 MiB. Both end with a checksum of all before it, which is
 * compared when the last piece has been taken; a piece is only good until the next one is asked for.
 * Throws CorruptPack: at the end when the checksum is not that of the content, or is not `expected` (hexadecimal).
 */
export async function* readChecked(
  path: string,
  format: ObjectFormat,
  expected: string | null,
): AsyncGenerator<Uint8Array> {
  await using file = await open(path, "r");
  const { size } = await file.stat();
  const contentBytes = size - format.oidBytes;
  if (contentBytes < 0) {
    throw new CorruptPack(`The file "${path}" is cut off: it has ${size} bytes`, path);
  }
  const hasher = format.hasher();
  const trailer = new Uint8Array(format.oidBytes);
  const buffer = new Uint8Array(pieceBytes);
  for (let at = 0; at < size;) {
    const { bytesRead } = await file.read(buffer, 0, pieceBytes, at);
    if (bytesRead === 0) {
      throw new CorruptPack(`The file "${path}" became shorter while it was read`, path);
    }
    const piece = buffer.subarray(0, bytesRead);
    const content = Math.max(0, Math.min(bytesRead, contentBytes - at));
    hasher.update(piece.subarray(0, content));
    trailer.set(piece.subarray(content), Math.max(0, at - contentBytes));
    at += bytesRead;
    yield piece;
  }
  const written = bytesToHex(trailer, 0, trailer.length);
  const actual = hasher.digest();
  if (bytesToHex(actual, 0, actual.length) !== written) {
    throw new CorruptPack(
      `The file "${path}" is damaged: its content does not have the checksum ${written} that it ends with`,
      path,
    );
  }
  if (expected !== null && written !== expected) {
    throw new CorruptPack(
      `The file "${path}" is another pack: it has the checksum ${written} instead of ${expected}`,
      path,
    );
  }
}
