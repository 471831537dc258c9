import type { ObjectFormat } from "./object-format.ts";
import { typeName, type ObjectType } from "./object-type.ts";

/** Above this a copy behind the header costs more than hashing in two pieces. */
const smallBytes = 32 * 1024;
const scratch = new Uint8Array(smallBytes + 32);

/** The oid of an object: the hash of `<type> <size in decimal>\0` and its content. */
export function hashObject(format: ObjectFormat, type: ObjectType, bytes: Uint8Array): Uint8Array {
  const header = objectHeader(type, bytes.length);
  if (bytes.length > smallBytes) {
    const hasher = format.hasher();
    hasher.update(header);
    hasher.update(bytes);
    return hasher.digest();
  }
  const oid = new Uint8Array(format.oidBytes);
  scratch.set(header);
  scratch.set(bytes, header.length);
  format.hashInto(scratch.subarray(0, header.length + bytes.length), oid);
  return oid;
}

/** The oid of an object whose content, of `size` bytes, comes in pieces. */
export function hashPieces(
  format: ObjectFormat,
  type: ObjectType,
  size: number,
  pieces: Iterable<Uint8Array>,
): Uint8Array {
  const hasher = format.hasher();
  hasher.update(objectHeader(type, size));
  for (const piece of pieces) {
    hasher.update(piece);
  }
  return hasher.digest();
}

/** Returns the header that is hashed before the content. */
function objectHeader(type: ObjectType, size: number): Uint8Array {
  return Buffer.from(`${typeName(type)} ${size}\0`, "latin1");
}
