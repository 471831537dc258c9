import { DiffTooCostly } from "../diff/diff-effort.ts";
import { isBinary } from "../diff/line-counts.ts";
import { shownHunks, type ShownHunks } from "../diff/shown-hunks.ts";
import { diffTexts } from "../diff/text-diff.ts";
import type { OpenRepository } from "./open-repository.ts";

/** Two contents, which need not be in the repository. */
export interface DiffContentsArgs {
  readonly before: Uint8Array;
  readonly after: Uint8Array;
  /** lines that are returned at most */
  readonly maxLines: number;
}

export interface DiffContentsResult extends ShownHunks {
  readonly additions: number;
  readonly deletions: number;
  /** all lines of each */
  readonly beforeLines: number;
  readonly afterLines: number;
}

/** Unchanged lines around each change. */
const context = 3;
const maxCharacters = 1_000_000;
const maxLineBytes = 5000;

/** The difference of two contents by hunks and lines. Returns null for what is no text, or takes too long to compare. */
export function diffContents(_repository: OpenRepository, args: DiffContentsArgs): DiffContentsResult | null {
  if (isBinary(args.before) || isBinary(args.after)) {
    return null;
  }
  try {
    const diff = diffTexts(args.before, args.after);
    const { maxLines } = args;
    const selection = { context, shown: [], skip: 0, maxLines, maxCharacters, maxLineBytes };
    return {
      ...shownHunks(diff, { ...selection, ignoreBlankLines: false, whitespace: "significant" }),
      additions: diff.changes.reduce((sum, { added }) => sum + added, 0),
      deletions: diff.changes.reduce((sum, { removed }) => sum + removed, 0),
      beforeLines: diff.before.starts.length - 1,
      afterLines: diff.after.starts.length - 1,
    };
  } catch (error) {
    if (error instanceof DiffTooCostly) {
      return null;
    }
    throw error;
  }
}
