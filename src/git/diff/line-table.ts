import { demandHeavyLane } from "../job/lane.ts";
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
 * Throws NeedsHeavyLane for large texts.
 */
export function numberTexts(
  before: Uint8Array,
  after: Uint8Array,
  whitespace: Whitespace = "significant",
): { before: NumberedText; after: NumberedText; classes: number } {
  if (before.length + after.length > lightBytes) {
    demandHeavyLane();
  }
  const table = sharedTable ?? new LineTable();
  sharedTable = null;
  table.clear(Math.max(before.length, after.length));
  const old = table.read(before, whitespace);
  const now = whitespace === "significant" ? table.readLike(after, old) : table.read(after, whitespace);
  const { classes } = table;
  if (table.release()) {
    sharedTable = table;
  }
  return { before: old, after: now, classes };
}

/** Texts up to this size are numbered in a thread that others wait for: about 20 ms. */
const lightBytes = 2 * 1024 * 1024;

/** One table for all pairs of texts: to make its arrays anew, empty, takes longer than to fill them. */
let sharedTable: LineTable | null = null;

/** Numbers the lines as `numberTexts` does, and returns the numbers alone. */
export function numberLines(
  before: Uint8Array,
  after: Uint8Array,
  whitespace: Whitespace = "significant",
): NumberedLines {
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
/** Numbers of a line in `LineTable.#lines`: its hash, its length, and where it begins in which text. */
const fields = 4;
/** A table that became larger than this is not kept. */
const keptSlots = 256 * 1024;

/** The numbers and ends of the lines that are being read; what is handed out is a copy of its size. */
let scratchNumbers = new Int32Array(4096);
let scratchStarts = new Int32Array(4096);
const keptScratchLines = 64 * 1024;

function trimScratch(): void {
  if (scratchNumbers.length > keptScratchLines) {
    scratchNumbers = new Int32Array(4096);
    scratchStarts = new Int32Array(4096);
  }
}

/** A hash table of lines with open addressing; it keeps places in the texts, never strings. */
export class LineTable {
  /** numbers of lines, and one more: 0 is an empty slot */
  #slots = new Int32Array(256);
  #mask = 255;
  #lines = new Int32Array(128 * fields);
  #classes = 0;
  #texts: DataView[] = [];

  /** bytes: how long the texts are to which it is fitted; it grows where they are longer */
  constructor(bytes = 0) {
    this.clear(bytes);
  }

  get classes(): number {
    return this.#classes;
  }

  /** Forgets all lines, for texts of about so many bytes. */
  clear(bytes: number): void {
    // Lines of source text have about 32 bytes; the table stays at most half full.
    let slots = 256;
    while (slots * 16 < bytes) {
      slots *= 2;
    }
    if (slots > this.#slots.length) {
      this.#slots = new Int32Array(slots);
    } else {
      this.#slots.fill(0, 0, slots);
    }
    this.#mask = slots - 1;
    this.#classes = 0;
  }

  /** Lets go of the texts; whether it is small enough to be kept for others. */
  release(): boolean {
    this.#texts = [];
    return this.#slots.length <= keptSlots;
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
    const count = this.#scan(text.subarray(from, known.starts[tailFrom]! + shift));
    const numbers = new Int32Array(head + count + tail);
    numbers.set(known.numbers.subarray(0, head));
    numbers.set(scratchNumbers.subarray(0, count), head);
    numbers.set(known.numbers.subarray(tailFrom), head + count);
    const starts = new Int32Array(numbers.length + 1);
    starts.set(known.starts.subarray(0, head));
    for (let line = 0; line < count; line++) {
      starts[head + line] = from + scratchStarts[line]!;
    }
    for (let line = 0; line <= tail; line++) {
      starts[head + count + line] = known.starts[tailFrom + line]! + shift;
    }
    trimScratch();
    return { bytes: text, starts, numbers };
  }

  #read(text: Uint8Array): NumberedText {
    const count = this.#scan(text);
    const read = { bytes: text, starts: scratchStarts.slice(0, count + 1), numbers: scratchNumbers.slice(0, count) };
    trimScratch();
    return read;
  }

  /**
   * Numbers the lines of a text into the scratch arrays and answers how many they are. It goes through the text four
   * bytes at a time: reading byte by byte, and looking for the ends of lines by themselves, takes three times as long,
   * and it was a third of what a patch takes.
   */
  #scan(text: Uint8Array): number {
    const { length } = text;
    const view = new DataView(text.buffer, text.byteOffset, length);
    const number = this.#texts.push(view) - 1;
    let numbers = scratchNumbers;
    let starts = scratchStarts;
    let count = 0;
    starts[0] = 0;
    for (let start = 0; start < length;) {
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
      if (count + 1 >= numbers.length) {
        numbers = scratchNumbers = grown(numbers, count);
        starts = scratchStarts = grown(starts, count + 1);
      }
      numbers[count++] = this.#classOf(view, number, start, end - start, hash);
      starts[count] = end;
      start = end;
    }
    return count;
  }

  #classOf(text: DataView, number: number, start: number, length: number, hash: number): number {
    const lines = this.#lines;
    const slots = this.#slots;
    let slot = hash & this.#mask;
    for (let known = slots[slot]! - 1; known >= 0; known = slots[slot]! - 1) {
      const at = known * fields;
      if (
        lines[at] === hash &&
        lines[at + 1] === length &&
        equals(this.#texts[lines[at + 3]!]!, lines[at + 2]!, text, start, length)
      ) {
        return known;
      }
      slot = (slot + 1) & this.#mask;
    }
    const fresh = this.#classes++;
    const at = fresh * fields;
    lines[at] = hash;
    lines[at + 1] = length;
    lines[at + 2] = start;
    lines[at + 3] = number;
    slots[slot] = fresh + 1;
    if (at + 2 * fields > lines.length) {
      this.#lines = grown(lines, at + fields);
    }
    if (fresh * 2 > this.#mask) {
      this.#grow();
    }
    return fresh;
  }

  #grow(): void {
    this.#mask = this.#mask * 2 + 1;
    this.#slots = new Int32Array(this.#mask + 1);
    for (let known = 0; known < this.#classes; known++) {
      let slot = this.#lines[known * fields]! & this.#mask;
      while (this.#slots[slot] !== 0) {
        slot = (slot + 1) & this.#mask;
      }
      this.#slots[slot] = known + 1;
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
