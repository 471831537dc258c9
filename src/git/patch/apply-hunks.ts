import { DiffEffort } from "../diff/diff-effort.ts";
import { lineStarts } from "../diff/line-table.ts";
import type { Hunk } from "./file-patch.ts";
import { PatchRefused } from "./patch-refused.ts";

/** Arguments of one call, of which there must not be too many. */
const linesOfSplice = 10_000;

/** A line, and whether a hunk has put it there: such lines are matched by no other. */
interface Line {
  readonly bytes: Uint8Array;
  readonly patched: boolean;
}

/**
 * The text that hunks make of another, as `git apply` has it: each may be at another line than it says, the nearest
 * place counts, but all its lines must be there. One that begins at line 1, or ends without unchanged lines, must be at
 * that end of the text. Throws PatchRefused, DiffTooCostly.
 */
export function applyHunks(text: Uint8Array, hunks: readonly Hunk[], path: string): Uint8Array {
  const starts = lineStarts(text);
  const lines: Line[] = [];
  for (let line = 0; line + 1 < starts.length; line++) {
    lines.push({ bytes: text.subarray(starts[line], starts[line + 1]), patched: false });
  }
  const effort = new DiffEffort();
  for (const hunk of hunks) {
    const place = findPlace(lines, hunk, effort);
    if (place === null) {
      throw new PatchRefused(
        `Cannot apply the patch to "${path}": its lines from ${hunk.oldStart} on are not there`,
        path,
      );
    }
    effort.spend(lines.length >> 6);
    lines.splice(place, hunk.before.length);
    for (let at = 0; at < hunk.after.length; at += linesOfSplice) {
      lines.splice(
        place + at,
        0,
        ...hunk.after.slice(at, at + linesOfSplice).map((bytes) => ({ bytes, patched: true })),
      );
    }
  }
  return Buffer.concat(lines.map(({ bytes }) => bytes));
}

/** The line at which a hunk fits, nearest to where it should be; of two that are equally near the later one. */
function findPlace(lines: readonly Line[], hunk: Hunk, effort: DiffEffort): number | null {
  const atStart = hunk.oldStart <= 1;
  const atEnd = hunk.trailing === 0;
  const last = lines.length - hunk.before.length;
  if (last < 0) {
    return null;
  }
  if (atStart || atEnd) {
    const only = atStart ? 0 : last;
    return (!atEnd || only === last) && fits(lines, hunk, only, effort) ? only : null;
  }
  const wanted = Math.min(Math.max(hunk.newStart - 1, 0), last);
  for (let distance = 0; distance <= Math.max(wanted, last - wanted); distance++) {
    if (wanted + distance <= last && fits(lines, hunk, wanted + distance, effort)) {
      return wanted + distance;
    }
    if (distance > 0 && wanted - distance >= 0 && fits(lines, hunk, wanted - distance, effort)) {
      return wanted - distance;
    }
  }
  return null;
}

function fits(lines: readonly Line[], { before }: Hunk, place: number, effort: DiffEffort): boolean {
  for (const [at, wanted] of before.entries()) {
    const line = lines[place + at]!;
    effort.spend(1 + (wanted.length >> 3));
    if (line.patched || Buffer.compare(line.bytes, wanted) !== 0) {
      return false;
    }
  }
  return true;
}
