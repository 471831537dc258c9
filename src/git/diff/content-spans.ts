import { isBinary } from "./line-counts.ts";

/** A prime below 2^17: hashes of spans are remainders by it. */
const hashBase = 107_927;
const longestSpan = 64;
const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/** How many bytes of a text are in spans of each hash; `hashes` ascend. */
export interface ContentSpans {
  readonly hashes: Uint32Array;
  readonly bytes: Uint32Array;
}

/** Bytes per hash while one text is being read; all zero between two calls. */
const bytesOfHash = new Uint32Array(hashBase);

/**
 * Cuts a text into spans, which end after a line feed or 64 bytes, and adds up the bytes under each span's hash: what
 * git's diffcore-delta does, so that the similarity of two files is the number that git prints. Like git 2.39 it counts
 * no bytes after the last whole span, and none of the CR before a line feed of a text that is not binary.
 */
export function spansOf(text: Uint8Array): ContentSpans {
  const skipsReturn = !isBinary(text);
  const touched: number[] = [];
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
      const hash = ((low + Math.imul(high, 0x61)) >>> 0) % hashBase;
      if (bytesOfHash[hash] === 0) {
        touched.push(hash);
      }
      bytesOfHash[hash]! += length;
      length = 0;
      low = 0;
      high = 0;
    }
  }
  const hashes = Uint32Array.from(touched).sort();
  const bytes = new Uint32Array(hashes.length);
  for (let at = 0; at < hashes.length; at++) {
    bytes[at] = bytesOfHash[hashes[at]!]!;
    bytesOfHash[hashes[at]!] = 0;
  }
  return { hashes, bytes };
}

/** How many bytes of the first text are in the second one too. */
export function commonBytes(before: ContentSpans, after: ContentSpans): number {
  let common = 0;
  let left = 0;
  let right = 0;
  while (left < before.hashes.length && right < after.hashes.length) {
    const difference = before.hashes[left]! - after.hashes[right]!;
    if (difference === 0) {
      common += Math.min(before.bytes[left++]!, after.bytes[right++]!);
    } else if (difference < 0) {
      left++;
    } else {
      right++;
    }
  }
  return common;
}
