import { compactChanges, type TextLines } from "./compact-changes.ts";
import { diffLines, type DiffAlgorithm } from "./line-diff.ts";
import { numberTexts } from "./line-table.ts";
import type { Whitespace } from "./ignore-whitespace.ts";

export interface TextDiffOptions {
  readonly algorithm: DiffAlgorithm;
  readonly whitespace: Whitespace;
  /** whether changes go where the indentation of the lines looks best; git does so in what it prints, not when it merges */
  readonly indentHeuristic: boolean;
}

/** The defaults of `git diff`. */
export const defaultTextDiff: TextDiffOptions = {
  algorithm: "myers",
  whitespace: "significant",
  indentHeuristic: true,
};

/** Lines `before..before+removed` of the first text became lines `after..after+added` of the second; from 0. */
export interface LineChange {
  readonly before: number;
  readonly removed: number;
  readonly after: number;
  readonly added: number;
}

/** Two texts by lines and what changed from one to the other, in order. */
export interface TextDiff {
  readonly before: TextLines;
  readonly after: TextLines;
  readonly changes: readonly LineChange[];
}

/** The changes that git would show between two texts. Throws DiffTooCostly. */
export function diffTexts(before: Uint8Array, after: Uint8Array, options: TextDiffOptions = defaultTextDiff): TextDiff {
  const texts = numberTexts(before, after, options.whitespace);
  const numbered = { before: texts.before.numbers, after: texts.after.numbers, classes: texts.classes };
  const edit = diffLines(numbered, options.algorithm);
  compactChanges(edit, numbered, options.indentHeuristic ? [texts.before, texts.after] : null);
  return { before: texts.before, after: texts.after, changes: changesOf(edit.removed, edit.added) };
}

function changesOf(removed: Uint8Array, added: Uint8Array): LineChange[] {
  const changes: LineChange[] = [];
  let before = 0;
  let after = 0;
  while (before < removed.length || after < added.length) {
    const start = before;
    const afterStart = after;
    while (before < removed.length && removed[before] === 1) {
      before++;
    }
    while (after < added.length && added[after] === 1) {
      after++;
    }
    if (before > start || after > afterStart) {
      changes.push({ before: start, removed: before - start, after: afterStart, added: after - afterStart });
    } else {
      before++;
      after++;
    }
  }
  return changes;
}
