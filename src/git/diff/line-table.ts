import { compileLightly } from "../../lib/compile-lightly.ts";
import { commonLines } from "./common-lines.ts";
import { ignoreWhitespace, type Whitespace } from "./ignore-whitespace.ts";

/** Two texts as sequences of numbers: equal lines, and only those, have equal numbers in `0..classes-1`. */
export interface NumberedLines {
  readonly before: Int32Array;
  readonly after: Int32Array;
  readonly classes: number;
}

/** A text, where each of its lines begins and the last one ends (one entry more than there are lines), and their numbers. */
export interface NumberedText {
  readonly bytes: Uint8Array;
  readonly starts: Int32Array;
  readonly numbers: Int32Array;
}

/**
 * Numbers the lines of two texts with one table, whose `classes` come with them. A line includes its line feed, so a
 * last line without one differs from one with it. `whitespace` says which lines count as equal though they are not.
 */
export function numberTexts(before: Uint8Array, after: Uint8Array, whitespace: Whitespace = "significant"): { before: NumberedText; after: NumberedText; classes: number } {
  const table = new LineTable(Math.max(before.length, after.length));
  const old = table.read(before, whitespace);
  const now = whitespace === "significant" ? table.readLike(after, old) : table.read(after, whitespace);
  return { before: old, after: now, classes: table.classes };
}

/** As `numberTexts`: the numbers alone. */
export function numberLines(before: Uint8Array, after: Uint8Array, whitespace: Whitespace = "significant"): NumberedLines {
  const texts = numberTexts(before, after, whitespace);
  return { before: texts.before.numbers, after: texts.after.numbers, classes: texts.classes };
}

/** Where each line of a text begins, and where the last one ends: one entry more than there are lines. */
export function lineStarts(text: Uint8Array): Int32Array {
  let starts = new Int32Array((text.length >> 4) + 16);
  let count = 1;
  for (let at = text.indexOf(lineFeed); at >= 0; at = text.indexOf(lineFeed, at + 1)) {
    if (count + 1 >= starts.length) {
      starts = grown(starts, count);
    }
    starts[count++] = at + 1;
  }
  if (starts[count - 1] !== text.length) {
    starts[count++] = text.length;
  }
  return starts.subarray(0, count);
}

const lineFeed = 0x0a;
/** For each of four bytes at once: the line feed, the lowest bit and, as a number with 32 bits and a sign, the highest. */
const lineFeeds = 0x0a0a0a0a;
const lowest = 0x01010101;
const highest = 0x80808080 | 0;
const hashFactor = 0x9e3779b1 | 0;

/** A hash table of lines with open addressing; it keeps places in the texts, never strings. */
export class LineTable {
  #slots: Int32Array;
  #mask: number;
  readonly #hashes: number[] = [];
  readonly #texts: DataView[] = [];
  readonly #starts: number[] = [];
  readonly #lengths: number[] = [];

  constructor(bytes: number) {
    // Lines of source text have about 32 bytes; the table stays at most half full.
    let slots = 256;
    while (slots * 16 < bytes) {
      slots *= 2;
    }
    this.#slots = new Int32Array(slots).fill(-1);
    this.#mask = slots - 1;
  }

  get classes(): number {
    return this.#hashes.length;
  }

  /** Numbers the lines of a text. */
  read(text: Uint8Array, whitespace: Whitespace = "significant"): NumberedText {
    if (whitespace === "significant") {
      return this.#read(text);
    }
    return { bytes: text, starts: lineStarts(text), numbers: this.#read(ignoreWhitespace(text, whitespace)).numbers };
  }

  /** Numbers the lines of a text of which much is as in another that this table has: only what is between the lines that both begin and end with. */
  readLike(text: Uint8Array, known: NumberedText): NumberedText {
    const { head, tail } = commonLines(known, text);
    const from = known.starts[head]!;
    const tailFrom = known.numbers.length - tail;
    const shift = text.length - known.bytes.length;
    const middle = this.#read(text.subarray(from, known.starts[tailFrom]! + shift));
    const count = middle.numbers.length;
    const numbers = new Int32Array(head + count + tail);
    numbers.set(known.numbers.subarray(0, head));
    numbers.set(middle.numbers, head);
    numbers.set(known.numbers.subarray(tailFrom), head + count);
    const starts = new Int32Array(numbers.length + 1);
    starts.set(known.starts.subarray(0, head));
    for (let line = 0; line < count; line++) {
      starts[head + line] = from + middle.starts[line]!;
    }
    for (let line = 0; line <= tail; line++) {
      starts[head + count + line] = known.starts[tailFrom + line]! + shift;
    }
    return { bytes: text, starts, numbers };
  }

  /**
   * Goes through a text four bytes at a time: reading byte by byte, and looking for the ends of lines by themselves,
   * takes three times as long, and it was a third of what a patch takes.
   */
  #read(text: Uint8Array): NumberedText {
    const { length } = text;
    const view = new DataView(text.buffer, text.byteOffset, length);
    let numbers = new Int32Array((length >> 4) + 16);
    let starts = new Int32Array((length >> 4) + 17);
    let count = 0;
    for (let start = 0; start < length; ) {
      let hash = 0;
      let at = start;
      let end = -1;
      for (; at + 4 <= length; at += 4) {
        const word = view.getInt32(at, true);
        const difference = word ^ lineFeeds;
        // The lowest bit that is set is that of the first byte that is a line feed, if there is one.
        const found = (difference - lowest) & ~difference & highest;
        if (found !== 0) {
          const bits = 32 - Math.clz32(found & -found);
          hash = mixed(hash, bits === 32 ? word : word & ((1 << bits) - 1));
          end = at + (bits >> 3);
          break;
        }
        hash = mixed(hash, word);
      }
      if (end < 0) {
        // The last three bytes of the text; the word is what the same line has elsewhere.
        let word = 0;
        for (end = at; end < length && (end === at || text[end - 1] !== lineFeed); end++) {
          word |= text[end]! << ((end - at) << 3);
        }
        hash = mixed(hash, word);
      }
      if (count === numbers.length) {
        numbers = grown(numbers, count);
        starts = grown(starts, count + 1);
      }
      numbers[count++] = this.#classOf(view, start, end - start, hash);
      starts[count] = end;
      start = end;
    }
    return { bytes: text, starts: starts.subarray(0, count + 1), numbers: numbers.subarray(0, count) };
  }

  #classOf(text: DataView, start: number, length: number, hash: number): number {
    let slot = hash & this.#mask;
    for (;;) {
      const known = this.#slots[slot]!;
      if (known < 0) {
        break;
      }
      if (this.#hashes[known] === hash && this.#lengths[known] === length && equals(this.#texts[known]!, this.#starts[known]!, text, start, length)) {
        return known;
      }
      slot = (slot + 1) & this.#mask;
    }
    const fresh = this.#hashes.push(hash) - 1;
    this.#texts.push(text);
    this.#starts.push(start);
    this.#lengths.push(length);
    this.#slots[slot] = fresh;
    if (fresh * 2 > this.#mask) {
      this.#grow();
    }
    return fresh;
  }

  #grow(): void {
    this.#mask = this.#mask * 2 + 1;
    this.#slots = new Int32Array(this.#mask + 1).fill(-1);
    for (const [known, hash] of this.#hashes.entries()) {
      let slot = hash & this.#mask;
      while (this.#slots[slot]! >= 0) {
        slot = (slot + 1) & this.#mask;
      }
      this.#slots[slot] = known;
    }
  }
}

function equals(left: DataView, leftStart: number, right: DataView, rightStart: number, length: number): boolean {
  let at = 0;
  for (; at + 4 <= length; at += 4) {
    if (left.getInt32(leftStart + at, true) !== right.getInt32(rightStart + at, true)) {
      return false;
    }
  }
  for (; at < length; at++) {
    if (left.getUint8(leftStart + at) !== right.getUint8(rightStart + at)) {
      return false;
    }
  }
  return true;
}

/** Folds a word into a hash; the shift brings its high bits into the slot's number. */
function mixed(hash: number, word: number): number {
  const product = Math.imul(hash ^ word, hashFactor);
  return product ^ (product >>> 15);
}

function grown(array: Int32Array<ArrayBuffer>, count: number): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(count * 2);
  larger.set(array);
  return larger;
}

compileLightly(numberTexts);
