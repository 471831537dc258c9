import { QuickDeflater } from "./quick-deflater.ts";

/** How hard to try: 1 for what is sent once, 6 for what is stored. */
export type DeflateLevel = 1 | 6;

const headBytes = 2;
const tailBytes = 4;
/** Method and window, then the level of effort with the check bits of both. */
const heads = { 1: Uint8Array.of(0x78, 0x01), 6: Uint8Array.of(0x78, 0x9c) };

/**
 * Bytes as a zlib stream (RFC 1950), as entries of packs hold it. The library is several times faster than node:zlib,
 * which makes a stream object each time: at level 6 it takes two thirds of the time for a little less, at level 1 a third
 * for three hundredths more.
 */
export function deflate(bytes: Uint8Array, level: DeflateLevel): Uint8Array {
  const raw = deflateRaw(bytes, level);
  const stream = new Uint8Array(headBytes + raw.length + tailBytes);
  stream.set(heads[level]);
  stream.set(raw, headBytes);
  writeCheck(stream, headBytes + raw.length, bytes);
  return stream;
}

/** Larger ones are rare, and would need a larger buffer. */
export const largestQuickBytes = 256 * 1024;
const quick = QuickDeflater.open(largestQuickBytes);
const check = new Uint8Array(tailBytes);

/**
 * Writes a zlib stream for what is sent once. What is given to `write` is valid during the call. With `isQuick` up to
 * `largestQuickBytes` take about half of the time, for a quarter to a third more bytes.
 */
export function deflateOnce(
  bytes: Uint8Array,
  isQuick: boolean,
  write: (part: Uint8Array, from: number, to: number) => void,
): void {
  const length = isQuick && bytes.length <= largestQuickBytes ? (quick?.deflate(bytes) ?? 0) : 0;
  if (quick !== null && length > 0) {
    write(quick.output, 0, length);
    return;
  }
  const raw = deflateRaw(bytes, 1);
  write(heads[1], 0, headBytes);
  write(raw, 0, raw.length);
  writeCheck(check, 0, bytes);
  write(check, 0, tailBytes);
}

function deflateRaw(bytes: Uint8Array, level: DeflateLevel): Uint8Array {
  return Bun.deflateSync(bytes as Uint8Array<ArrayBuffer>, { library: "libdeflate", level });
}

function writeCheck(target: Uint8Array, at: number, bytes: Uint8Array): void {
  const sum = Bun.hash.adler32(bytes);
  target[at] = sum >>> 24;
  target[at + 1] = sum >>> 16;
  target[at + 2] = sum >>> 8;
  target[at + 3] = sum;
}
