import { ignoreWhitespace, type Whitespace } from "./ignore-whitespace.ts";

/** Two texts as sequences of numbers: equal lines, and only those, have equal numbers in `0..classes-1`. */
export interface NumberedLines {
  readonly before: Int32Array;
  readonly after: Int32Array;
  readonly classes: number;
}

/**
 * Numbers the lines of two texts, in the order in which they come first. A line includes its line feed, so a last line
 * without one differs from one with it. `whitespace` says which lines count as equal though they are not.
 */
export function numberLines(before: Uint8Array, after: Uint8Array, whitespace: Whitespace = "significant"): NumberedLines {
  const table = new LineTable(before.length + after.length);
  const number = (text: Uint8Array): Int32Array => table.number(whitespace === "significant" ? text : ignoreWhitespace(text, whitespace));
  return { before: number(before), after: number(after), classes: table.classes };
}

/** Where each line of a text begins, and where the last one ends: one entry more than there are lines. */
export function lineStarts(text: Uint8Array): Int32Array {
  let starts = new Int32Array((text.length >> 4) + 16);
  let count = 1;
  const add = (at: number): void => {
    if (count === starts.length) {
      const larger = new Int32Array(count * 2);
      larger.set(starts);
      starts = larger;
    }
    starts[count++] = at;
  };
  for (let at = text.indexOf(0x0a); at >= 0; at = text.indexOf(0x0a, at + 1)) {
    add(at + 1);
  }
  if (starts[count - 1] !== text.length) {
    add(text.length);
  }
  return starts.subarray(0, count);
}

/** A hash table of lines with open addressing; it keeps places in the texts, never strings. */
export class LineTable {
  #slots: Int32Array;
  #mask: number;
  readonly #hashes: number[] = [];
  readonly #texts: Uint8Array[] = [];
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

  number(text: Uint8Array): Int32Array {
    let numbers = new Int32Array((text.length >> 4) + 16);
    let count = 0;
    let start = 0;
    while (start < text.length) {
      let hash = 0x811c9dc5;
      let end = start;
      while (end < text.length) {
        const byte = text[end++]!;
        hash = Math.imul(hash ^ byte, 0x01000193);
        if (byte === 0x0a) {
          break;
        }
      }
      if (count === numbers.length) {
        const larger = new Int32Array(count * 2);
        larger.set(numbers);
        numbers = larger;
      }
      numbers[count++] = this.#classOf(text, start, end - start, hash);
      start = end;
    }
    return numbers.subarray(0, count);
  }

  #classOf(text: Uint8Array, start: number, length: number, hash: number): number {
    let slot = (hash ^ (hash >>> 15)) & this.#mask;
    for (;;) {
      const known = this.#slots[slot]!;
      if (known < 0) {
        break;
      }
      if (this.#hashes[known] === hash && this.#lengths[known] === length && this.#equals(known, text, start, length)) {
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

  #equals(known: number, text: Uint8Array, start: number, length: number): boolean {
    const other = this.#texts[known]!;
    const otherStart = this.#starts[known]!;
    for (let at = 0; at < length; at++) {
      if (other[otherStart + at] !== text[start + at]) {
        return false;
      }
    }
    return true;
  }

  #grow(): void {
    this.#mask = this.#mask * 2 + 1;
    this.#slots = new Int32Array(this.#mask + 1).fill(-1);
    for (const [known, hash] of this.#hashes.entries()) {
      let slot = (hash ^ (hash >>> 15)) & this.#mask;
      while (this.#slots[slot]! >= 0) {
        slot = (slot + 1) & this.#mask;
      }
      this.#slots[slot] = known;
    }
  }
}
