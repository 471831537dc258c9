import { compactChanges } from "../diff/compact-changes.ts";
import { diffLines, type DiffAlgorithm, type LineEdit } from "../diff/line-diff.ts";
import { numberLines } from "../diff/line-table.ts";
import type { Whitespace } from "../diff/ignore-whitespace.ts";

/** Lines of one text that others take the place of; one of the two counts may be 0. */
export interface LineChange {
  readonly beforeStart: number;
  readonly beforeCount: number;
  readonly afterStart: number;
  readonly afterCount: number;
}

/** The changes from one text to the other, placed where git places them. Throws DiffTooCostly. */
export function changesBetween(
  before: Uint8Array,
  after: Uint8Array,
  algorithm: DiffAlgorithm = "myers",
  whitespace: Whitespace = "significant",
): LineChange[] {
  const lines = numberLines(before, after, whitespace);
  const edit = diffLines(lines, algorithm);
  compactChanges(edit, lines, null);
  return lineChanges(edit);
}

/** An edit as runs of lines that belong together, in order. */
function lineChanges({ removed, added }: LineEdit): LineChange[] {
  const changes: LineChange[] = [];
  let before = 0;
  let after = 0;
  while (before < removed.length || after < added.length) {
    const beforeStart = before;
    const afterStart = after;
    while (removed[before] === 1) {
      before++;
    }
    while (added[after] === 1) {
      after++;
    }
    if (before > beforeStart || after > afterStart) {
      changes.push({ beforeStart, beforeCount: before - beforeStart, afterStart, afterCount: after - afterStart });
    } else {
      before++;
      after++;
    }
  }
  return changes;
}
