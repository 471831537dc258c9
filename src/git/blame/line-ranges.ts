import type { LineEdit } from "../diff/line-diff.ts";

/** Lines of the blamed file, and where they stand in some version of it; numbers from 0. */
export interface LineRange {
  /** in the blamed file */
  readonly line: number;
  readonly count: number;
  /** in the version */
  readonly source: number;
}

/** Lines that a version has from one of its parents, with their places there, and those that it has not. */
export interface SplitRanges {
  readonly passed: LineRange[];
  readonly kept: LineRange[];
}

/** Splits ranges of a version by the edit that leads from its parent to it. The ranges come sorted by `source`. */
export function splitRanges(ranges: readonly LineRange[], { removed, added }: LineEdit): SplitRanges {
  const split: SplitRanges = { passed: [], kept: [] };
  let before = 0;
  let after = 0;
  let next = 0;
  let range = ranges[0];
  while (range !== undefined) {
    // A run of changed lines, then one of unchanged ones; behind the edit nothing changed.
    const changedFrom = after;
    while (removed[before] === 1) {
      before++;
    }
    while (added[after] === 1) {
      after++;
    }
    const changedEnd = after;
    const shift = before - after;
    while (before < removed.length && after < added.length && removed[before] === 0 && added[after] === 0) {
      before++;
      after++;
    }
    const end: number = after >= added.length && before >= removed.length ? Number.POSITIVE_INFINITY : after;
    range = take(range, changedFrom, changedEnd, 0, split.kept);
    while (range === undefined && ++next < ranges.length) {
      range = take(ranges[next], changedFrom, changedEnd, 0, split.kept);
    }
    if (range === undefined) {
      break;
    }
    range = take(range, changedEnd, end, shift, split.passed);
    while (range === undefined && ++next < ranges.length) {
      range = take(ranges[next], changedEnd, end, shift, split.passed);
    }
  }
  return split;
}

/** Moves what of a range lies in `from..end` to `into`; returns the rest behind `end`, undefined when there is none. */
function take(range: LineRange | undefined, from: number, end: number, shift: number, into: LineRange[]): LineRange | undefined {
  if (range === undefined || range.source >= end) {
    return range;
  }
  const count = Math.min(range.count, end - Math.max(range.source, from));
  into.push({ line: range.line, count, source: range.source + shift });
  return count === range.count ? undefined : { line: range.line + count, count: range.count - count, source: range.source + count };
}

/** Joins ranges that follow each other in both texts; sorts them by `source`. */
export function joinRanges(ranges: LineRange[]): LineRange[] {
  ranges.sort((left, right) => left.source - right.source || left.line - right.line);
  const joined: LineRange[] = [];
  for (const range of ranges) {
    const last = joined.at(-1);
    if (last !== undefined && last.source + last.count === range.source && last.line + last.count === range.line) {
      joined[joined.length - 1] = { ...last, count: last.count + range.count };
    } else {
      joined.push(range);
    }
  }
  return joined;
}
