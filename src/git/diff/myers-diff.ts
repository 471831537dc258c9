import type { DiffEffort } from "./diff-effort.ts";
import type { LineEdit } from "./line-diff.ts";
import type { NumberedLines } from "./line-table.ts";
import { markShortestEdit, roughRoot } from "./shortest-edit.ts";

/**
 * Marks the edit that turns one text into the other in `removed` and `added`, which are all 0 before. What both begin
 * and end with is left out first, then lines that cannot or hardly help to align the texts are declared changed, and
 * Myers' algorithm runs on what remains: the same reductions as git's. `minimal`: never settle for an edit that is not
 * the shortest of what remains. Throws DiffTooCostly.
 */
export function myersDiff(
  { before, after, classes }: NumberedLines,
  { removed, added }: LineEdit,
  effort: DiffEffort,
  minimal: boolean,
): void {
  let start = 0;
  let beforeEnd = before.length;
  let afterEnd = after.length;
  while (start < beforeEnd && start < afterEnd && before[start] === after[start]) {
    start++;
  }
  while (beforeEnd > start && afterEnd > start && before[beforeEnd - 1] === after[afterEnd - 1]) {
    beforeEnd--;
    afterEnd--;
  }
  if (start === beforeEnd || start === afterEnd) {
    removed.fill(1, start, beforeEnd);
    added.fill(1, start, afterEnd);
    return;
  }
  const left = usefulLines(before, start, beforeEnd, occurrences(after, classes), removed);
  const right = usefulLines(after, start, afterEnd, occurrences(before, classes), added);
  const box = { before: pick(before, left), after: pick(after, right), minimal, effort };
  markShortestEdit(
    box,
    (at) => (removed[left[at]!] = 1),
    (at) => (added[right[at]!] = 1),
  );
}

function occurrences(lines: Int32Array, classes: number): Uint32Array {
  const counts = new Uint32Array(classes);
  // By index: the iterator of a typed array was a twentieth of what a patch takes.
  for (let at = 0; at < lines.length; at++) {
    counts[lines[at]!]!++;
  }
  return counts;
}

/** How well a line can align: it does not occur on the other side, a few times, or so often that it says little. */
const Fit = { never: 0, sometimes: 1, often: 2 } as const;

/**
 * The places in `start..end` of lines that take part in the alignment; the others are marked as changed. Those are the
 * lines that the other side does not have, and frequent ones (empty lines, lone braces) in the middle of such.
 */
function usefulLines(
  lines: Int32Array,
  start: number,
  end: number,
  elsewhere: Uint32Array,
  changed: Uint8Array,
): Int32Array {
  const frequent = Math.min(roughRoot(lines.length), 1024);
  const fits = new Uint8Array(end - start);
  for (let at = start; at < end; at++) {
    const matches = elsewhere[lines[at]!]!;
    fits[at - start] = matches === 0 ? Fit.never : matches >= frequent ? Fit.often : Fit.sometimes;
  }
  const useful = new Int32Array(end - start);
  let count = 0;
  for (let at = 0; at < fits.length; at++) {
    const fit = fits[at]!;
    if (fit === Fit.sometimes || (fit === Fit.often && !liesAmongChanges(fits, at))) {
      useful[count++] = start + at;
    } else {
      changed[start + at] = 1;
    }
  }
  return useful.subarray(0, count);
}

/** Whether a frequent line stands between lines that never match, and these are by far the more. */
function liesAmongChanges(fits: Uint8Array, at: number): boolean {
  const back = runOf(fits, at, -1);
  if (back.never === 0) {
    return false;
  }
  const ahead = runOf(fits, at, 1);
  if (ahead.never === 0) {
    return false;
  }
  const often = back.often + ahead.often + 2;
  return often * 4 < often + back.never + ahead.never;
}

/** Counts the lines up to the next well-matching one, at most 100 of them. */
function runOf(fits: Uint8Array, at: number, direction: 1 | -1): { never: number; often: number } {
  let never = 0;
  let often = 0;
  for (let distance = 1; distance <= 100; distance++) {
    const fit = fits[at + direction * distance];
    if (fit === Fit.never) {
      never++;
    } else if (fit === Fit.often) {
      often++;
    } else {
      break;
    }
  }
  return { never, often };
}

function pick(lines: Int32Array, places: Int32Array): Int32Array {
  const picked = new Int32Array(places.length);
  for (let at = 0; at < places.length; at++) {
    picked[at] = lines[places[at]!]!;
  }
  return picked;
}
