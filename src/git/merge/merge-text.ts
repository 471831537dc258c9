import type { DiffAlgorithm } from "../diff/line-diff.ts";
import { changesBetween } from "./line-changes.ts";
import { alignChanges, joinConflicts, refineConflicts, type Region } from "./text-regions.ts";
import { LinedText, writeMerged } from "./write-merged.ts";

/** How conflicts are written. */
export interface ConflictStyle {
  /** "diff3" shows the lines of the base too */
  readonly style: "merge" | "diff3";
  /** length of the rows of `<`, `|`, `=` and `>` */
  readonly markerSize: number;
  /** what is written behind them; null for nothing */
  readonly labels: { readonly ours: string | null; readonly base: string | null; readonly theirs: string | null };
}

export interface MergeTextOptions extends ConflictStyle {
  /**
   * How hard conflicts are made small: "minimal" leaves even equal changes of both sides a conflict, "eager" does not,
   * "zealous" also takes out of a conflict the lines that both sides share, "zealous-alnum" as well but joins conflicts
   * again when what is between them has no letter or digit (the last is what `git merge-file` does, "zealous" what
   * merges of commits do)
   */
  readonly level: "minimal" | "eager" | "zealous" | "zealous-alnum";
  /** which side to take instead of a conflict; "union" takes the lines of both */
  readonly favor: "ours" | "theirs" | "union" | null;
  readonly algorithm: DiffAlgorithm;
}

export interface MergedText {
  readonly bytes: Uint8Array;
  /** as many as `git merge-file` reports with its exit status; also those that `favor` decided */
  readonly conflicts: number;
}

/** Merges the changes from `base` to `ours` and from `base` to `theirs` line by line, as git's xdl_merge does. Throws DiffTooCostly. */
export function mergeText(
  base: Uint8Array,
  ours: Uint8Array,
  theirs: Uint8Array,
  options: MergeTextOptions,
): MergedText {
  const { algorithm } = options;
  const ourChanges = changesBetween(base, ours, algorithm);
  if (ourChanges.length === 0) {
    return { bytes: theirs, conflicts: 0 };
  }
  const theirChanges = changesBetween(base, theirs, algorithm);
  if (theirChanges.length === 0) {
    return { bytes: ours, conflicts: 0 };
  }
  const level = options.style === "diff3" && options.level !== "minimal" ? "eager" : options.level;
  const texts = { base: new LinedText(base), ours: new LinedText(ours), theirs: new LinedText(theirs) };
  const growth = { ours: texts.ours.count - texts.base.count, theirs: texts.theirs.count - texts.base.count };
  const isSame = (left: number, right: number, count: number): boolean =>
    level !== "minimal" && Buffer.compare(texts.ours.slice(left, count), texts.theirs.slice(right, count)) === 0;
  let regions: Region[] = alignChanges(ourChanges, theirChanges, growth, isSame);
  if (level === "zealous" || level === "zealous-alnum") {
    regions = refineConflicts(regions, (left, leftCount, right, rightCount) =>
      changesBetween(texts.ours.slice(left, leftCount), texts.theirs.slice(right, rightCount), algorithm),
    );
    regions = joinConflicts(
      regions,
      (start, count) => level === "zealous-alnum" && !texts.ours.hasAlphanumeric(start, count),
    );
  }
  const conflicts = regions.filter(({ origin }) => origin === "conflict").length;
  return { bytes: writeMerged(texts, regions, options), conflicts };
}
