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

/**
 * Splits ranges of a version by the edit that leads from its parent to it. The ranges come sorted by `source`, and may
 * overlap there: merges can bring several lines of the blamed file back to one.
 */
export function splitRanges(ranges: readonly LineRange[], { removed, added }: LineEdit): SplitRanges {
  const split: SplitRanges = { passed: [], kept: [] };
  /** what is left of ranges that began before; all begin where the next lines do */
  let begun: LineRange[] = [];
  let next = 0;
  const takeUntil = (end: number, shift: number, into: LineRange[]): void => {
    const rests: LineRange[] = [];
    for (const range of begun) {
      take(range, end, shift, into, rests);
    }
    for (let range = ranges[next]; range !== undefined && range.source < end; range = ranges[++next]) {
      take(range, end, shift, into, rests);
    }
    begun = rests;
  };
  let before = 0;
  let after = 0;
  while (begun.length > 0 || next < ranges.length) {
    // A run of changed lines, then one of unchanged ones; behind the edit nothing changed.
    while (removed[before] === 1) {
      before++;
    }
    while (added[after] === 1) {
      after++;
    }
    takeUntil(after, 0, split.kept);
    const shift = before - after;
    while (before < removed.length && after < added.length && removed[before] === 0 && added[after] === 0) {
      before++;
      after++;
    }
    takeUntil(
      after >= added.length && before >= removed.length ? Number.POSITIVE_INFINITY : after,
      shift,
      split.passed,
    );
  }
  return split;
}

/** Moves what of a range lies before `end` to `into`, and the rest to `rests`. */
function take(range: LineRange, end: number, shift: number, into: LineRange[], rests: LineRange[]): void {
  const { line, source } = range;
  const count = Math.max(0, Math.min(range.count, end - source));
  if (count > 0) {
    into.push({ line, count, source: source + shift });
  }
  if (count < range.count) {
    rests.push({ line: line + count, count: range.count - count, source: source + count });
  }
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
