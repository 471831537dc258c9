/** Length of the pieces of the base that are looked for in the result; shorter matches are not worth an instruction. */
const blockBytes = 16;
const longestInsert = 127;
/** The format allows more in one instruction, but readers before version 3 of packs do not. */
const longestCopy = 0xffff;
/** A copy takes at most an opcode, four bytes of offset and two of length. */
const copyBytes = 7;

/**
 * The delta that makes `result` of `base` (format: delta.ts), or null if it would take more than `limitBytes`.
 *
 * Blocks of the base are entered in a hash table, the result is scanned for them, and a match is extended both ways:
 * greedy, as git's own encoder is.
 */
export function encodeDelta(base: Uint8Array, result: Uint8Array, limitBytes: number): Uint8Array | null {
  if (base.length < blockBytes || result.length < blockBytes) {
    return null;
  }
  const blocks = indexBlocks(base);
  const mask = blocks.length - 1;
  const delta = new DeltaWriter(result, limitBytes);
  delta.size(base.length);
  delta.size(result.length);
  let at = 0;
  while (at + blockBytes <= result.length) {
    const match = blocks[hashBlock(result, at) & mask]!;
    if (match < 0 || !sameBlock(base, match, result, at)) {
      at++;
      continue;
    }
    let baseFrom = match;
    let baseTo = match + blockBytes;
    let from = at;
    let to = at + blockBytes;
    while (baseTo < base.length && to < result.length && base[baseTo] === result[to]) {
      baseTo++;
      to++;
    }
    while (baseFrom > 0 && from > delta.covered && base[baseFrom - 1] === result[from - 1]) {
      baseFrom--;
      from--;
    }
    if (!delta.insertUpTo(from) || !delta.copy(baseFrom, to - from)) {
      return null;
    }
    at = to;
  }
  return delta.insertUpTo(result.length) ? delta.bytes() : null;
}

class DeltaWriter {
  /** How much of the result the instructions make so far. */
  covered = 0;
  private readonly out: Uint8Array;
  private length = 0;

  constructor(
    private readonly result: Uint8Array,
    private readonly limitBytes: number,
  ) {
    this.out = new Uint8Array(limitBytes + 32);
  }

  size(value: number): void {
    let rest = value;
    for (; rest > 127; rest = Math.floor(rest / 128)) {
      this.out[this.length++] = (rest % 128) | 0x80;
    }
    this.out[this.length++] = rest;
  }

  /** Inserts the result's bytes from where it is covered to `end`. False if that breaks the limit. */
  insertUpTo(end: number): boolean {
    while (this.covered < end) {
      const count = Math.min(longestInsert, end - this.covered);
      if (this.length + 1 + count > this.limitBytes) {
        return false;
      }
      this.out[this.length++] = count;
      this.out.set(this.result.subarray(this.covered, this.covered + count), this.length);
      this.length += count;
      this.covered += count;
    }
    return true;
  }

  /** Copies from the base. False if that breaks the limit. */
  copy(offset: number, length: number): boolean {
    for (let done = 0; done < length; ) {
      const count = Math.min(longestCopy, length - done);
      if (this.length + copyBytes > this.limitBytes) {
        return false;
      }
      this.copyOnce(offset + done, count);
      done += count;
    }
    this.covered += length;
    return true;
  }

  bytes(): Uint8Array {
    return this.out.slice(0, this.length);
  }

  private copyOnce(offset: number, length: number): void {
    const opcodeAt = this.length++;
    let opcode = 0x80;
    for (let byte = 0; byte < 4; byte++) {
      const value = (offset >>> (8 * byte)) & 0xff;
      if (value !== 0) {
        this.out[this.length++] = value;
        opcode |= 1 << byte;
      }
    }
    for (let byte = 0; byte < 2; byte++) {
      const value = (length >>> (8 * byte)) & 0xff;
      if (value !== 0) {
        this.out[this.length++] = value;
        opcode |= 0x10 << byte;
      }
    }
    this.out[opcodeAt] = opcode;
  }
}

/** Where blocks of the base start, by hash; of several with one hash the first. Empty slots are -1. */
function indexBlocks(base: Uint8Array): Int32Array {
  const count = Math.floor(base.length / blockBytes);
  let slots = 64;
  while (slots < count * 2) {
    slots *= 2;
  }
  const blocks = new Int32Array(slots).fill(-1);
  for (let block = count - 1; block >= 0; block--) {
    blocks[hashBlock(base, block * blockBytes) & (slots - 1)] = block * blockBytes;
  }
  return blocks;
}

function hashBlock(bytes: Uint8Array, at: number): number {
  let hash = Math.imul(wordAt(bytes, at), 0x9e37_79b1);
  hash = Math.imul(hash ^ wordAt(bytes, at + 4), 0x85eb_ca6b);
  hash = Math.imul(hash ^ wordAt(bytes, at + 8), 0xc2b2_ae35);
  hash = Math.imul(hash ^ wordAt(bytes, at + 12), 0x27d4_eb2f);
  return hash ^ (hash >>> 15);
}

function wordAt(bytes: Uint8Array, at: number): number {
  return bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
}

function sameBlock(base: Uint8Array, baseAt: number, result: Uint8Array, at: number): boolean {
  for (let byte = 0; byte < blockBytes; byte++) {
    if (base[baseAt + byte] !== result[at + byte]) {
      return false;
    }
  }
  return true;
}
