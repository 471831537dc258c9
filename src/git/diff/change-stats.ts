import type { ObjectDatabase } from "../odb/object-database.ts";
import { DiffTooCostly } from "./diff-effort.ts";
import type { Whitespace } from "./ignore-whitespace.ts";
import { countChangedLines, isBinary, type LineCounts } from "./line-counts.ts";
import { contentOf } from "./side-content.ts";
import type { TreeSide } from "./tree-diff.ts";

export interface ChangeCounts extends LineCounts {
  /** whether either side is no text, or too much of it: then no lines are counted */
  readonly binary: boolean;
}

/** Both sides of a change, whose paths do not matter. */
interface Sides {
  readonly before: TreeSide | null;
  readonly after: TreeSide | null;
}

const uncounted: ChangeCounts = { additions: 0, deletions: 0, binary: true };

/** Added and deleted lines of one change, as `git diff --numstat` counts. Throws MissingObject, CorruptPack. */
export function countLinesOf(
  odb: ObjectDatabase,
  { before: old, after: now }: Sides,
  whitespace: Whitespace = "significant",
): ChangeCounts {
  const before = contentOf(odb, old);
  const after = contentOf(odb, now);
  if (before === null || after === null || isBinary(before) || isBinary(after)) {
    return uncounted;
  }
  try {
    return { ...countChangedLines(before, after, whitespace), binary: false };
  } catch (error) {
    if (error instanceof DiffTooCostly) {
      return uncounted;
    }
    throw error;
  }
}
