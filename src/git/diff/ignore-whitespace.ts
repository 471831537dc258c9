const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const space = 0x20;

/**
 * Which lines are equal: those with the same bytes ("significant"); also those that differ in whitespace at their end
 * ("ignore-at-eol", git's `--ignore-space-at-eol`), in how much of it there is ("ignore-change", `-b`), in any
 * ("ignore", `-w`), or in a carriage return before the line feed ("ignore-cr-at-eol").
 */
export type Whitespace = "significant" | "ignore-cr-at-eol" | "ignore-at-eol" | "ignore-change" | "ignore";

/** Whether git's diff treats the byte as whitespace. */
export function isSpace(byte: number): boolean {
  return byte === space || (byte >= 0x09 && byte <= carriageReturn && byte !== 0x0b && byte !== 0x0c);
}

/** A text with as many lines, each of which is the same for lines that count as equal, and ends in a line feed. */
export function ignoreWhitespace(text: Uint8Array, whitespace: Exclude<Whitespace, "significant">): Uint8Array {
  const out = new Uint8Array(text.length + 1);
  let length = 0;
  for (let start = 0; start < text.length;) {
    const found = text.indexOf(lineFeed, start);
    const end = found < 0 ? text.length : found;
    length = writeLine(text, start, end, found >= 0, whitespace, out, length);
    out[length++] = lineFeed;
    start = end + 1;
  }
  return out.subarray(0, length);
}

/** Writes the part of a line that counts; `end` is before its line feed. Answers where the output ends. */
function writeLine(
  text: Uint8Array,
  start: number,
  end: number,
  complete: boolean,
  whitespace: Exclude<Whitespace, "significant">,
  out: Uint8Array,
  length: number,
): number {
  let stop = end;
  if (whitespace === "ignore-cr-at-eol") {
    if (complete && stop > start && text[stop - 1] === carriageReturn) {
      stop--;
    }
  } else {
    while (stop > start && isSpace(text[stop - 1]!)) {
      stop--;
    }
  }
  if (whitespace === "ignore-cr-at-eol" || whitespace === "ignore-at-eol") {
    out.set(text.subarray(start, stop), length);
    return length + stop - start;
  }
  let at = start;
  while (at < stop) {
    const byte = text[at++]!;
    if (!isSpace(byte)) {
      out[length++] = byte;
      continue;
    }
    while (isSpace(text[at]!)) {
      at++;
    }
    if (whitespace === "ignore-change") {
      out[length++] = space;
    }
  }
  return length;
}
