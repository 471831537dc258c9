import { isBinary } from "./line-counts.ts";

/** A prime below 2^17: hashes of spans are remainders by it. */
const hashBase = 107_927;
const longestSpan = 64;
const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/** How many bytes of a text are in spans of each hash, each of which is there once. */
export interface ContentSpans {
  readonly hashes: Int32Array;
  readonly bytes: Uint32Array;
}

/** Bytes per hash while one text is being read; all zero between two calls. */
const bytesOfHash = new Uint32Array(hashBase);
/** The hashes that the text has so far. */
const seen = new Int32Array(hashBase);

/**
 * Cuts a text into spans, which end after a line feed or 64 bytes, and adds up the bytes under each span's hash: what
 * git's diffcore-delta does, so that the similarity of two files is the number that git prints. Like git 2.39 it counts
 * no bytes after the last whole span, and none of the CR before a line feed of a text that is not binary.
 */
export function spansOf(text: Uint8Array): ContentSpans {
  const skipsReturn = !isBinary(text);
  let count = 0;
  const end = text.length;
  let length = 0;
  let low = 0;
  let high = 0;
  for (let at = 0; at < end; at++) {
    const byte = text[at]!;
    if (byte === carriageReturn && skipsReturn && at + 1 < end && text[at + 1] === lineFeed) {
      continue;
    }
    const before = low;
    low = (((low << 7) ^ (high >>> 25)) + byte) | 0;
    high = (high << 7) ^ (before >>> 25);
    length++;
    if (length === longestSpan || byte === lineFeed) {
      const hash = remainder((low + Math.imul(high, 0x61)) | 0);
      const known = bytesOfHash[hash]!;
      if (known === 0) {
        seen[count++] = hash;
      }
      bytesOfHash[hash] = known + length;
      length = 0;
      low = 0;
      high = 0;
    }
  }
  const hashes = seen.slice(0, count);
  const bytes = new Uint32Array(count);
  for (let at = 0; at < count; at++) {
    bytes[at] = bytesOfHash[hashes[at]!]!;
    bytesOfHash[hashes[at]!] = 0;
  }
  return { hashes, bytes };
}

/**
 * For an unsigned number of 32 bits. In two steps that stay within signed integers: with floating-point numbers it
 * takes several times as long.
 */
function remainder(bits: number): number {
  const twice = ((bits >>> 1) % hashBase) * 2 + (bits & 1);
  return twice >= hashBase ? twice - hashBase : twice;
}

/** The bytes per hash of the text that was last the second one; zero for all other hashes. */
const spread = new Uint32Array(hashBase);
let spreadText: ContentSpans = { hashes: new Int32Array(0), bytes: new Uint32Array(0) };

/** How many bytes of the first text are in the second one too. Quicker where the second is that of the last call. */
export function commonBytes(before: ContentSpans, after: ContentSpans): number {
  if (spreadText !== after) {
    for (let at = 0; at < spreadText.hashes.length; at++) {
      spread[spreadText.hashes[at]!] = 0;
    }
    for (let at = 0; at < after.hashes.length; at++) {
      spread[after.hashes[at]!] = after.bytes[at]!;
    }
    spreadText = after;
  }
  let common = 0;
  for (let at = 0; at < before.hashes.length; at++) {
    common += Math.min(before.bytes[at]!, spread[before.hashes[at]!]!);
  }
  return common;
}
