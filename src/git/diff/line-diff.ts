import { DiffEffort } from "./diff-effort.ts";
import { histogramDiff } from "./histogram-diff.ts";
import type { NumberedLines } from "./line-table.ts";
import { myersDiff } from "./myers-diff.ts";

/** Which lines an edit removes from the first text and adds in the second: 1 for each that changed, else 0. */
export interface LineEdit {
  readonly removed: Uint8Array;
  readonly added: Uint8Array;
}

/** "myers" is what git does by default; "minimal" and "histogram" are its options of that name. */
export type DiffAlgorithm = "myers" | "minimal" | "histogram";

/**
 * The edit that turns one text into the other. It has the lines that `git diff --numstat` counts; which of several
 * equal lines git shows as changed is up to `compactChanges`. Throws DiffTooCostly.
 */
export function diffLines(lines: NumberedLines, algorithm: DiffAlgorithm = "myers"): LineEdit {
  const edit = { removed: new Uint8Array(lines.before.length), added: new Uint8Array(lines.after.length) };
  const effort = new DiffEffort();
  if (algorithm === "histogram") {
    histogramDiff(lines, edit, effort);
  } else {
    myersDiff(lines, edit, effort, algorithm === "minimal");
  }
  return edit;
}
