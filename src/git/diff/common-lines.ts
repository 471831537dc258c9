import type { NumberedText } from "./line-table.ts";

/** Large blocks go fast over what is equal, small ones find the place where it is not. */
const blockSizes = [1024, 64];

/** How many lines a text begins (`head`) and ends with (`tail`) as one whose lines are known does. No line is in both. */
export function commonLines(
  { bytes, starts }: Pick<NumberedText, "bytes" | "starts">,
  text: Uint8Array,
): { head: number; tail: number } {
  const shorter = Math.min(bytes.length, text.length);
  let headBytes = 0;
  let tailBytes = 0;
  for (const size of blockSizes) {
    while (headBytes + size <= shorter && equalBytes(bytes, headBytes, text, headBytes, size)) {
      headBytes += size;
    }
  }
  for (const size of blockSizes) {
    while (
      headBytes + tailBytes + size <= shorter &&
      equalBytes(bytes, bytes.length - tailBytes - size, text, text.length - tailBytes - size, size)
    ) {
      tailBytes += size;
    }
  }
  const lines = starts.length - 1;
  // Whole lines only: the one that the head ends in may go on differently, the one that the tail begins in may too.
  const head = Math.max(0, firstLineFrom(starts, headBytes + 1) - 1);
  return { head, tail: lines - Math.max(firstLineFrom(starts, bytes.length - tailBytes + 1), head) };
}

const { compare } = Buffer.prototype;

/** Whether `left[at..at+length)` and `right[rightAt..rightAt+length)` are equal; both must be in bounds. Makes no views. */
function equalBytes(left: Uint8Array, at: number, right: Uint8Array, rightAt: number, length: number): boolean {
  return compare.call(left, right, rightAt, rightAt + length, at, at + length) === 0;
}

/** The first line that begins at a byte or behind it; the number of lines when none does. */
export function firstLineFrom(starts: Int32Array, at: number): number {
  let [low, high] = [0, starts.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (starts[middle]! < at) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}
