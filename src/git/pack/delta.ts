import { copyBytes } from "../../lib/copy-bytes.ts";
import { CorruptEntry } from "./errors.ts";

/** Fewer bytes are copied one by one in less time than a call takes. */
const shortestCall = 20;

/**
 * A delta is: the base's size and the result's size (seven bits a byte, low first), then instructions. One with bit 7
 * set copies from the base: bits 0-3 say which bytes of the offset follow, bits 4-6 which of the length (0 means
 * 65,536). Others, 1 to 127, insert that many bytes that follow. 0 is reserved.
 */

/** The result's size, read from the delta's first bytes. Throws CorruptEntry. */
export function deltaResultSize(delta: Uint8Array, from: number, to: number): number {
  const at = skipSize(delta, from, to);
  return readSize(delta, at, to);
}

/**
 * Applies `delta[from..to)` to the base in `base[baseAt..baseAt+baseSize)` and writes the result to `target[at]`.
 * `base` and `target` may be one buffer as long as the regions do not overlap.
 * Throws CorruptEntry, never reading or writing outside the given regions.
 */
export function applyDelta(
  base: Uint8Array,
  baseAt: number,
  baseSize: number,
  delta: Uint8Array,
  from: number,
  to: number,
  target: Uint8Array,
  at: number,
  size: number,
): void {
  if (to > delta.length || baseAt + baseSize > base.length || at + size > target.length) {
    throw new RangeError("Cannot apply a delta outside its buffers");
  }
  if (readSize(delta, from, to) !== baseSize) {
    throw new CorruptEntry("Cannot apply a delta: it is made for a base of another size");
  }
  let read = skipSize(delta, from, to);
  if (readSize(delta, read, to) !== size) {
    throw new CorruptEntry("Cannot apply a delta: its result has another size");
  }
  read = skipSize(delta, read, to);
  let write = at;
  const end = at + size;
  while (read < to) {
    const code = delta[read++]!;
    if (code & 0x80) {
      let offset = 0;
      let length = 0;
      if (code & 0x01) offset = delta[read++]!;
      if (code & 0x02) offset |= delta[read++]! << 8;
      if (code & 0x04) offset |= delta[read++]! << 16;
      if (code & 0x08) offset = (offset | (delta[read++]! << 24)) >>> 0;
      if (code & 0x10) length = delta[read++]!;
      if (code & 0x20) length |= delta[read++]! << 8;
      if (code & 0x40) length |= delta[read++]! << 16;
      if (length === 0) length = 0x10000;
      if (read > to || offset + length > baseSize || write + length > end) {
        throw new CorruptEntry("Cannot apply a delta: it copies from or to outside");
      }
      const first = baseAt + offset;
      if (length < shortestCall) {
        for (let byte = first; byte < first + length; byte++) target[write++] = base[byte]!;
      } else {
        copyBytes(base, first, first + length, target, write);
        write += length;
      }
    } else {
      if (code === 0 || read + code > to || write + code > end) {
        throw new CorruptEntry("Cannot apply a delta: it inserts from or to outside");
      }
      if (code < shortestCall) {
        for (const last = read + code; read < last;) target[write++] = delta[read++]!;
      } else {
        copyBytes(delta, read, read + code, target, write);
        write += code;
        read += code;
      }
    }
  }
  if (write !== end) {
    throw new CorruptEntry("Cannot apply a delta: it ends before its result is complete");
  }
}

function readSize(delta: Uint8Array, from: number, to: number): number {
  let size = 0;
  let unit = 1;
  // With more bytes the number would exceed all limits, or the precision of numbers.
  const end = Math.min(to, from + 10);
  for (let at = from; at < end; at++) {
    const byte = delta[at]!;
    size += (byte & 0x7f) * unit;
    if (!(byte & 0x80)) {
      return size;
    }
    unit *= 128;
  }
  throw new CorruptEntry("Cannot read a delta: it is cut off");
}

function skipSize(delta: Uint8Array, from: number, to: number): number {
  let at = from;
  while (at < to && delta[at]! & 0x80) {
    at++;
  }
  return at + 1;
}

// The bytes themselves are copied by calls or by short loops: deltas of a large history are applied as fast.
