import type { LineChange } from "./line-changes.ts";

/** The sides that changed a region: both, differently; one alone; both in the same way. */
export type RegionOrigin = "conflict" | "ours" | "theirs" | "same";

/**
 * Lines of the base and the lines of each side that replace them. The lines between regions are equal in all three
 * texts.
 */
export interface Region {
  origin: RegionOrigin;
  base: number;
  baseCount: number;
  ours: number;
  oursCount: number;
  theirs: number;
  theirsCount: number;
}

/**
 * Brings the changes of both sides in step. Changes that overlap or touch become one conflict, unless both sides made
 * the very same one: `isSame` compares lines of ours with lines of theirs.
 * `oursGrowth` and `theirsGrowth`: how many lines each side has more than the base.
 */
export function alignChanges(
  ours: readonly LineChange[],
  theirs: readonly LineChange[],
  growth: { readonly ours: number; readonly theirs: number },
  isSame: (ours: number, theirs: number, count: number) => boolean,
): Region[] {
  const regions: Region[] = [];
  let left = 0;
  let right = 0;
  while (left < ours.length || right < theirs.length) {
    const a = ours[left];
    const b = theirs[right];
    if (a !== undefined && (b === undefined || endOf(a) < b.beforeStart)) {
      const shift = b === undefined ? growth.theirs : b.afterStart - b.beforeStart;
      append(
        regions,
        regionOf(
          "ours",
          a.beforeStart,
          a.beforeCount,
          a.afterStart,
          a.afterCount,
          a.beforeStart + shift,
          a.beforeCount,
        ),
      );
      left++;
      continue;
    }
    if (b !== undefined && (a === undefined || endOf(b) < a.beforeStart)) {
      const shift = a === undefined ? growth.ours : a.afterStart - a.beforeStart;
      append(
        regions,
        regionOf(
          "theirs",
          b.beforeStart,
          b.beforeCount,
          b.beforeStart + shift,
          b.beforeCount,
          b.afterStart,
          b.afterCount,
        ),
      );
      right++;
      continue;
    }
    if (a === undefined || b === undefined) {
      break;
    }
    const equalPlace =
      a.beforeStart === b.beforeStart && a.beforeCount === b.beforeCount && a.afterCount === b.afterCount;
    if (!equalPlace || !isSame(a.afterStart, b.afterStart, a.afterCount)) {
      append(regions, overlap(a, b));
    }
    const leftEnd = endOf(a);
    const rightEnd = endOf(b);
    left += rightEnd >= leftEnd ? 1 : 0;
    right += leftEnd >= rightEnd ? 1 : 0;
  }
  return regions;
}

/** The lines that two overlapping changes cover together. */
function overlap(a: LineChange, b: LineChange): Region {
  const start = Math.min(a.beforeStart, b.beforeStart);
  const end = Math.max(endOf(a), endOf(b));
  const oursStart = a.afterStart - (a.beforeStart - start);
  const theirsStart = b.afterStart - (b.beforeStart - start);
  const oursEnd = a.afterStart + a.afterCount + (end - endOf(a));
  const theirsEnd = b.afterStart + b.afterCount + (end - endOf(b));
  return regionOf("conflict", start, end - start, oursStart, oursEnd - oursStart, theirsStart, theirsEnd - theirsStart);
}

/** A region that touches the last one becomes part of it, and what is of different origin then is a conflict. */
function append(regions: Region[], next: Region): void {
  const last = regions.at(-1);
  if (last === undefined || (next.ours > last.ours + last.oursCount && next.theirs > last.theirs + last.theirsCount)) {
    regions.push(next);
    return;
  }
  if (last.origin !== next.origin) {
    last.origin = "conflict";
  }
  last.baseCount = next.base + next.baseCount - last.base;
  last.oursCount = next.ours + next.oursCount - last.ours;
  last.theirsCount = next.theirs + next.theirsCount - last.theirs;
}

/**
 * Makes conflicts as small as their lines allow: takes out what both sides have in common (`compare` gives the changes
 * from lines of ours to lines of theirs), so that one conflict may become several.
 */
export function refineConflicts(
  regions: readonly Region[],
  compare: (ours: number, oursCount: number, theirs: number, theirsCount: number) => readonly LineChange[],
): Region[] {
  return regions.flatMap((region) => {
    if (region.origin !== "conflict" || region.oursCount === 0 || region.theirsCount === 0) {
      return [region];
    }
    const changes = compare(region.ours, region.oursCount, region.theirs, region.theirsCount);
    if (changes.length === 0) {
      return [{ ...region, origin: "same" as const }];
    }
    const { base, baseCount, ours, theirs } = region;
    return changes.map(({ beforeStart, beforeCount, afterStart, afterCount }) =>
      regionOf("conflict", base, baseCount, ours + beforeStart, beforeCount, theirs + afterStart, afterCount),
    );
  });
}

/**
 * Joins conflicts with at most three lines between them, and those with more when `isPlain` finds nothing worth reading
 * in the lines of ours: the result is no longer and easier to follow.
 */
export function joinConflicts(regions: readonly Region[], isPlain: (ours: number, count: number) => boolean): Region[] {
  const joined: Region[] = [];
  for (const region of regions) {
    const last = joined.at(-1);
    if (last !== undefined && last.origin === "conflict" && region.origin === "conflict") {
      const start = last.ours + last.oursCount;
      const between = region.ours - start;
      if (between <= 3 || isPlain(start, between)) {
        last.oursCount = region.ours + region.oursCount - last.ours;
        last.theirsCount = region.theirs + region.theirsCount - last.theirs;
        continue;
      }
    }
    joined.push({ ...region });
  }
  return joined;
}

function endOf(change: LineChange): number {
  return change.beforeStart + change.beforeCount;
}

function regionOf(
  origin: RegionOrigin,
  base: number,
  baseCount: number,
  ours: number,
  oursCount: number,
  theirs: number,
  theirsCount: number,
): Region {
  return { origin, base, baseCount, ours, oursCount, theirs, theirsCount };
}
