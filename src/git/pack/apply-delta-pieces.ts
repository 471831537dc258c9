import { copyBytes } from "../../lib/copy-bytes.ts";
import { CorruptEntry } from "./errors.ts";
import { pieceBytes } from "./inflate-pieces.ts";
import type { PositionedBytes } from "./positioned-bytes.ts";

/** No instruction is longer: an insert of 127 bytes. */
const longestInstruction = 128;

/**
 * Does what `applyDelta` does, for what is too large to be held: takes the instructions as they come and gives the
 * result, which has `size` bytes, in pieces. Every piece but the last has `pieceBytes`; it is valid until the next is
 * asked for. The instructions are read to their end. Throws CorruptEntry, never reading outside the base.
 */
export function* applyDeltaPieces(
  base: PositionedBytes,
  instructions: Iterable<Uint8Array>,
  size: number,
): Generator<Uint8Array, void, void> {
  using delta = new InstructionReader(instructions);
  if (delta.readSize() !== base.size) {
    throw new CorruptEntry("Cannot apply a delta: it is made for a base of another size");
  }
  if (delta.readSize() !== size) {
    throw new CorruptEntry("Cannot apply a delta: its result has another size");
  }
  const piece = new Uint8Array(Math.min(pieceBytes, size));
  let filled = 0;
  let missing = size;
  while (delta.next()) {
    let { length } = delta;
    if (length > missing || (delta.isCopy && delta.offset + length > base.size)) {
      throw new CorruptEntry("Cannot apply a delta: it copies from or to outside");
    }
    missing -= length;
    for (let from = delta.offset; length > 0;) {
      const part = Math.min(length, piece.length - filled);
      if (delta.isCopy) base.copy(from, part, piece, filled);
      else copyBytes(delta.bytes, from, from + part, piece, filled);
      from += part;
      length -= part;
      filled += part;
      if (filled === piece.length) {
        yield piece;
        filled = 0;
      }
    }
  }
  if (missing > 0) {
    throw new CorruptEntry("Cannot apply a delta: it ends before its result is complete");
  }
  if (filled > 0) {
    yield piece.subarray(0, filled);
  }
}

/** Reads what `delta.ts` describes out of pieces that end anywhere. */
class InstructionReader implements Disposable {
  /** The instruction: copies `length` bytes from `offset` in the base, or else in `bytes`. */
  isCopy = false;
  offset = 0;
  length = 0;
  bytes = new Uint8Array(0);
  #at = 0;
  #end = 0;
  readonly #pieces: Iterator<Uint8Array>;

  constructor(instructions: Iterable<Uint8Array>) {
    this.#pieces = instructions[Symbol.iterator]();
  }

  [Symbol.dispose](): void {
    this.#pieces.return?.();
  }

  readSize(): number {
    this.#fill();
    let size = 0;
    let unit = 1;
    for (let bytes = 0; bytes < 10 && this.#at < this.#end; bytes++) {
      const byte = this.bytes[this.#at++]!;
      size += (byte & 0x7f) * unit;
      if (!(byte & 0x80)) {
        return size;
      }
      unit *= 128;
    }
    throw new CorruptEntry("Cannot read a delta: it is cut off");
  }

  /** Reads an instruction; false at the end. */
  next(): boolean {
    if (this.#end - this.#at < longestInstruction) {
      this.#fill();
      if (this.#at === this.#end) {
        return false;
      }
    }
    const { bytes } = this;
    let at = this.#at;
    const code = bytes[at++]!;
    this.isCopy = (code & 0x80) !== 0;
    if (this.isCopy) {
      let offset = 0;
      let length = 0;
      if (code & 0x01) offset = bytes[at++]!;
      if (code & 0x02) offset |= bytes[at++]! << 8;
      if (code & 0x04) offset |= bytes[at++]! << 16;
      if (code & 0x08) offset = (offset | (bytes[at++]! << 24)) >>> 0;
      if (code & 0x10) length = bytes[at++]!;
      if (code & 0x20) length |= bytes[at++]! << 8;
      if (code & 0x40) length |= bytes[at++]! << 16;
      this.offset = offset;
      this.length = length === 0 ? 0x10000 : length;
    } else {
      if (code === 0) {
        throw new CorruptEntry("Cannot apply a delta: it has an instruction that means nothing");
      }
      this.offset = at;
      this.length = code;
      at += code;
    }
    if (at > this.#end) {
      throw new CorruptEntry("Cannot apply a delta: it is cut off");
    }
    this.#at = at;
    return true;
  }

  /** Takes pieces until the longest instruction is there, or no more comes. */
  #fill(): void {
    while (this.#end - this.#at < longestInstruction) {
      const { done, value } = this.#pieces.next();
      if (done === true) {
        return;
      }
      const kept = this.#end - this.#at;
      if (this.bytes.length < kept + value.length) {
        const grown = new Uint8Array(longestInstruction + value.length);
        copyBytes(this.bytes, this.#at, this.#end, grown, 0);
        this.bytes = grown;
      } else {
        this.bytes.copyWithin(0, this.#at, this.#end);
      }
      this.bytes.set(value, kept);
      this.#at = 0;
      this.#end = kept + value.length;
    }
  }
}
