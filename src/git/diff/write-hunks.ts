import type { TextLines } from "./compact-changes.ts";
import { isSpace } from "./ignore-whitespace.ts";
import { groupChanges, type HunkOptions } from "./hunk-groups.ts";
import type { PatchOutput } from "./patch-output.ts";
import { firstInvalidUtf8 } from "./valid-utf8.ts";
import type { LineChange, TextDiff } from "./text-diff.ts";

const lineFeed = 0x0a;
const noLineFeed = Buffer.from("\n\\ No newline at end of file\n");
const maxHeadingBytes = 80;

/** The hunks of a diff in the unified format, each with the heading line that comes before it, as git writes them. */
export function writeHunks(diff: TextDiff, options: HunkOptions, out: PatchOutput): void {
  let headingSearched = -1;
  let heading: Uint8Array | null = null;
  for (const group of groupChanges(diff, options)) {
    const first = group[0]!;
    const last = group.at(-1)!;
    const start = Math.max(first.before - options.context, 0);
    const afterStart = Math.max(first.after - options.context, 0);
    const end = last.before + last.removed;
    const afterEnd = last.after + last.added;
    const trailing = Math.min(options.context, countOf(diff.before) - end, countOf(diff.after) - afterEnd);
    heading = findHeading(diff.before, start - 1, headingSearched) ?? heading;
    headingSearched = start - 1;
    writeHeader(start, end + trailing - start, afterStart, afterEnd + trailing - afterStart, heading, out);
    writeLines(diff, group, afterStart, afterEnd + trailing, out);
  }
}

function writeLines(diff: TextDiff, group: readonly LineChange[], start: number, end: number, out: PatchOutput): void {
  // Unchanged lines are those of the second text: the two may differ in whitespace.
  let after = start;
  for (const change of group) {
    while (after < change.after) {
      writeLine(0x20, diff.after, after++, out);
    }
    for (let line = change.before; line < change.before + change.removed; line++) {
      writeLine(0x2d, diff.before, line, out);
    }
    for (let line = change.after; line < change.after + change.added; line++) {
      writeLine(0x2b, diff.after, line, out);
    }
    after = change.after + change.added;
  }
  while (after < end) {
    writeLine(0x20, diff.after, after++, out);
  }
}

function writeLine(sign: number, { bytes, starts }: TextLines, line: number, out: PatchOutput): void {
  const end = starts[line + 1]!;
  out.byte(sign);
  out.bytes(bytes, starts[line]!, end);
  if (bytes[end - 1] !== lineFeed) {
    out.bytes(noLineFeed);
  }
}

function writeHeader(
  start: number,
  count: number,
  afterStart: number,
  afterCount: number,
  heading: Uint8Array | null,
  out: PatchOutput,
): void {
  out.text(`@@ -${range(start, count)} +${range(afterStart, afterCount)} @@`);
  if (heading !== null && heading.length > 0) {
    out.byte(0x20);
    out.bytes(heading, 0, firstInvalidUtf8(heading));
  }
  out.byte(lineFeed);
}

/** Lines are counted from 1; an empty range names the line before it. */
function range(start: number, count: number): string {
  const from = count === 0 ? start : start + 1;
  return count === 1 ? `${from}` : `${from},${count}`;
}

/** The nearest line from `from` up to after `until` that begins with a letter, `_` or `$`; at most 80 bytes of it. */
export function findHeading({ bytes, starts }: TextLines, from: number, until: number): Uint8Array | null {
  for (let line = from; line > until; line--) {
    const start = starts[line]!;
    if (beginsHeading(bytes[start]!)) {
      let end = Math.min(starts[line + 1]!, start + maxHeadingBytes);
      while (end > start && isSpace(bytes[end - 1]!)) {
        end--;
      }
      return bytes.subarray(start, end);
    }
  }
  return null;
}

function beginsHeading(byte: number): boolean {
  return (byte >= 0x61 && byte <= 0x7a) || (byte >= 0x41 && byte <= 0x5a) || byte === 0x5f || byte === 0x24;
}

function countOf({ starts }: TextLines): number {
  return starts.length - 1;
}
