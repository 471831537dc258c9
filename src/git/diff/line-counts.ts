import type { Whitespace } from "./ignore-whitespace.ts";
import { diffLines } from "./line-diff.ts";
import { numberLines } from "./line-table.ts";

/** How many lines a change adds and deletes. */
export interface LineCounts {
  readonly additions: number;
  readonly deletions: number;
}

const none: LineCounts = { additions: 0, deletions: 0 };

/** Counts as `git diff --numstat` does; a binary text on either side counts as no lines. */
export function countChangedLines(
  before: Uint8Array,
  after: Uint8Array,
  whitespace: Whitespace = "significant",
): LineCounts {
  if (isBinary(before) || isBinary(after)) {
    return none;
  }
  if (before.length === 0 || after.length === 0) {
    return { additions: countLines(after), deletions: countLines(before) };
  }
  const { removed, added } = diffLines(numberLines(before, after, whitespace));
  return { additions: sum(added), deletions: sum(removed) };
}

const probedBytes = 8000;

/** Git's rule: a text with a NUL in its first 8,000 bytes is binary. */
export function isBinary(bytes: Uint8Array): boolean {
  return (bytes.length > 2 * probedBytes ? bytes.subarray(0, probedBytes) : bytes).indexOf(0) >>> 0 < probedBytes;
}

/** Lines of a text; a last one without a line feed counts. */
function countLines(bytes: Uint8Array): number {
  let count = 0;
  for (let at = bytes.indexOf(0x0a); at >= 0; at = bytes.indexOf(0x0a, at + 1)) {
    count++;
  }
  return bytes.length > 0 && bytes[bytes.length - 1] !== 0x0a ? count + 1 : count;
}

function sum(flags: Uint8Array): number {
  let total = 0;
  for (const flag of flags) {
    total += flag;
  }
  return total;
}
