import { isBinary } from "../diff/line-counts.ts";
import { mergeText } from "../merge/merge-text.ts";
import type { OpenRepository } from "./open-repository.ts";

/** Three versions of one text, and what the sides are called in the marks of conflicts. */
export interface MergeTextsArgs {
  readonly base: Uint8Array;
  readonly ours: Uint8Array;
  readonly theirs: Uint8Array;
  readonly labels: { readonly ours: string; readonly theirs: string };
}

export interface MergeTextsResult {
  readonly bytes: Uint8Array;
  readonly conflicts: number;
}

/** Merges two versions of a text line by line, as a merge of commits does. Returns null for what is no text. Throws DiffTooCostly. */
export function mergeTexts(
  _repository: OpenRepository,
  { base, ours, theirs, labels }: MergeTextsArgs,
): MergeTextsResult | null {
  if (isBinary(base) || isBinary(ours) || isBinary(theirs)) {
    return null;
  }
  return mergeText(base, ours, theirs, {
    level: "zealous",
    favor: null,
    style: "merge",
    algorithm: "histogram",
    markerSize: 7,
    labels: { ...labels, base: null },
  });
}
