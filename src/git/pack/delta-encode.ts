/** Length of the pieces of the base that are looked for in the result; shorter matches are not worth an instruction. */
const blockBytes = 16;
const longestInsert = 127;
/** The format allows more in one instruction, but readers before version 3 of packs do not. */
const longestCopy = 0xffff;
/** A copy takes at most an opcode, four bytes of offset and two of length. */
const copyBytes = 7;
/** Blocks of the base with one hash that are compared: more would only cost time where files repeat themselves. */
const longestChain = 24;
/** A match of so many bytes is taken without looking for a longer one. */
const goodMatch = 1024;
/** Base of the rolling hash, odd, and what the byte weighs that leaves the window. */
const hashBase = 0x0101_9b4d;
const leavingWeight = powerOf(hashBase, blockBytes);
const spread = 0x9e37_79b1;
/** Tables up to this size are kept for smaller bases, which need less. */
const keptSlots = 64 * 1024;

/**
 * The delta that makes `result` of `base` (format: delta.ts), or null if it would take more than `limitBytes`.
 */
export function encodeDelta(base: Uint8Array, result: Uint8Array, limitBytes: number): Uint8Array | null {
  const delta = new DeltaEncoder().encode(new DeltaBase(asBuffer(base)), asBuffer(result), limitBytes);
  return delta === null ? null : new Uint8Array(delta);
}

/**
 * A base whose blocks have been entered in a hash table, for many results. The object can be filled again, so that a
 * search over thousands of bases makes no garbage.
 */
export class DeltaBase {
  buffer: Buffer;
  /** by hash: one more than the number of the first block that has it; 0 for none */
  heads = new Int32Array(64);
  /** by block: the same for the next block with its hash */
  next = new Int32Array(0);
  /** how far the hash is shifted to be a place in `heads` */
  shift = 26;

  /** The bytes must stay as they are while the base is used. */
  constructor(bytes: Buffer) {
    this.buffer = bytes;
    this.index();
  }

  /** Memory held beside the bytes. */
  get heldBytes(): number {
    return this.heads.byteLength + this.next.byteLength;
  }

  /** Becomes the index of another base. */
  fill(bytes: Buffer): void {
    this.buffer = bytes;
    this.index();
  }

  private index(): void {
    const { buffer } = this;
    const blocks = Math.floor(buffer.length / blockBytes);
    let bits = 6;
    while (1 << bits < blocks) {
      bits++;
    }
    if (this.heads.length < 1 << bits || this.heads.length > Math.max(keptSlots, 4 << bits)) {
      this.heads = new Int32Array(1 << bits);
    } else {
      this.heads.fill(0, 0, 1 << bits);
    }
    if (this.next.length < blocks || this.next.length > Math.max(keptSlots, 4 * blocks)) {
      this.next = new Int32Array(1 << bits);
    }
    this.shift = 32 - bits;
    const { heads, next, shift } = this;
    let last = 0;
    // Backwards, so that of equal blocks the first is found first; of a run of equal ones only that is kept.
    for (let block = blocks - 1; block >= 0; block--) {
      const hash = hashBlock(buffer, block * blockBytes);
      if (hash === last && block + 1 < blocks && heads[Math.imul(hash, spread) >>> shift] === block + 2) {
        next[block] = next[block + 1]!;
      } else {
        next[block] = heads[Math.imul(hash, spread) >>> shift]!;
      }
      heads[Math.imul(hash, spread) >>> shift] = block + 1;
      last = hash;
    }
  }
}

/** Makes deltas, greedily: blocks of the base are looked for in the result, and a match is extended both ways. */
export class DeltaEncoder {
  private out = new Uint8Array(4096);
  private written = 0;
  private limit = 0;
  /** How much of the result the instructions make so far. */
  private covered = 0;

  /** The delta that makes `result`, valid until the next call; null if it takes more than `limitBytes`. */
  encode(base: DeltaBase, result: Buffer, limitBytes: number): Uint8Array | null {
    if (base.buffer.length < blockBytes || result.length < blockBytes || limitBytes < 8) {
      return null;
    }
    if (this.out.length < limitBytes + 32) {
      this.out = new Uint8Array(limitBytes * 2 + 32);
    }
    this.written = 0;
    this.limit = limitBytes;
    this.covered = 0;
    this.writeSize(base.buffer.length);
    this.writeSize(result.length);
    return this.writeInstructions(base, result) ? this.out.subarray(0, this.written) : null;
  }

  private writeInstructions(base: DeltaBase, target: Buffer): boolean {
    const { buffer, heads, next, shift } = base;
    const baseLength = buffer.length;
    const { length } = target;
    let at = 0;
    let hash = hashBlock(target, 0);
    for (;;) {
      let bestFrom = 0;
      let best = 0;
      let tries = longestChain;
      for (
        let entry = heads[Math.imul(hash, spread) >>> shift]!;
        entry > 0 && tries > 0 && best < goodMatch;
        entry = next[entry - 1]!, tries--
      ) {
        const from = (entry - 1) * blockBytes;
        const room = Math.min(baseLength - from, length - at);
        if (room > best && (best === 0 || buffer[from + best] === target[at + best])) {
          const match = countEqual(buffer, from, target, at, room);
          if (match > best) {
            best = match;
            bestFrom = from;
          }
        }
      }
      if (best < blockBytes) {
        // Inserted bytes cost at least their length.
        if (this.written + at - this.covered > this.limit) {
          return false;
        }
        if (at + blockBytes >= length) {
          break;
        }
        hash = (Math.imul(hash, hashBase) + target[at + blockBytes]! - Math.imul(target[at]!, leavingWeight)) | 0;
        at++;
        continue;
      }
      let from = at;
      let baseFrom = bestFrom;
      while (baseFrom > 0 && from > this.covered && buffer[baseFrom - 1] === target[from - 1]) {
        baseFrom--;
        from--;
      }
      const end = at + best;
      if (!this.insertUpTo(target, from) || !this.copy(baseFrom, end - from)) {
        return false;
      }
      at = end;
      if (at + blockBytes > length) {
        break;
      }
      hash = hashBlock(target, at);
    }
    return this.insertUpTo(target, length);
  }

  private writeSize(value: number): void {
    let rest = value;
    for (; rest > 127; rest = Math.floor(rest / 128)) {
      this.out[this.written++] = (rest % 128) | 0x80;
    }
    this.out[this.written++] = rest;
  }

  /** Inserts the result's bytes from where it is covered to `end`. False if that breaks the limit. */
  private insertUpTo(target: Uint8Array, end: number): boolean {
    const { out } = this;
    while (this.covered < end) {
      const count = Math.min(longestInsert, end - this.covered);
      if (this.written + 1 + count > this.limit) {
        return false;
      }
      out[this.written++] = count;
      for (let byte = this.covered; byte < this.covered + count; byte++) {
        out[this.written++] = target[byte]!;
      }
      this.covered += count;
    }
    return true;
  }

  /** Copies from the base. False if that breaks the limit. */
  private copy(offset: number, length: number): boolean {
    for (let done = 0; done < length;) {
      const count = Math.min(longestCopy, length - done);
      if (this.written + copyBytes > this.limit) {
        return false;
      }
      this.copyOnce(offset + done, count);
      done += count;
    }
    this.covered += length;
    return true;
  }

  private copyOnce(offset: number, length: number): void {
    const opcodeAt = this.written++;
    let opcode = 0x80;
    for (let byte = 0; byte < 4; byte++) {
      const value = (offset >>> (8 * byte)) & 0xff;
      if (value !== 0) {
        this.out[this.written++] = value;
        opcode |= 1 << byte;
      }
    }
    for (let byte = 0; byte < 2; byte++) {
      const value = (length >>> (8 * byte)) & 0xff;
      if (value !== 0) {
        this.out[this.written++] = value;
        opcode |= 0x10 << byte;
      }
    }
    this.out[opcodeAt] = opcode;
  }
}

/** How many bytes are equal, up to `room`. Long stretches are compared natively, which is four times as fast as a loop. */
function countEqual(left: Buffer, leftAt: number, right: Buffer, rightAt: number, room: number): number {
  const head = Math.min(room, 64);
  let count = 0;
  while (count < head && left[leftAt + count] === right[rightAt + count]) {
    count++;
  }
  if (count < head) {
    return count;
  }
  for (let step = 128; count + step <= room; step = Math.min(8192, step * 2)) {
    if (left.compare(right, rightAt + count, rightAt + count + step, leftAt + count, leftAt + count + step) !== 0) {
      break;
    }
    count += step;
  }
  while (count < room && left[leftAt + count] === right[rightAt + count]) {
    count++;
  }
  return count;
}

function hashBlock(bytes: Uint8Array, at: number): number {
  let hash = 0;
  for (let byte = at; byte < at + blockBytes; byte++) {
    hash = (Math.imul(hash, hashBase) + bytes[byte]!) | 0;
  }
  return hash;
}

function powerOf(base: number, exponent: number): number {
  let power = 1;
  for (let step = 0; step < exponent; step++) {
    power = Math.imul(power, base);
  }
  return power;
}

/** Returns the bytes as a Buffer, which compares ranges natively. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
