import type { ObjectDatabase } from "../odb/object-database.ts";
import { countChangedLines, type LineCounts } from "./line-counts.ts";
import type { TreeChange, TreeSide } from "./tree-diff.ts";

/** A larger file counts as binary: inflating and comparing it would take longer than anyone waits for a count. */
const maxTextBytes = 16 * 1024 * 1024;

/** Added and deleted lines of one change, as `git diff --numstat` counts; binary files count as none. */
export function countLinesOf(odb: ObjectDatabase, change: TreeChange): LineCounts {
  const before = textOf(odb, change.before);
  const after = textOf(odb, change.after);
  return before === null || after === null ? { additions: 0, deletions: 0 } : countChangedLines(before, after);
}

/** What a side looks like as text; null when it is too large for that. */
function textOf(odb: ObjectDatabase, side: TreeSide | null): Uint8Array | null {
  if (side === null) {
    return new Uint8Array(0);
  }
  if (side.mode === 0o160000) {
    // The objects of a submodule are elsewhere; git shows the one line that names its commit.
    return Buffer.from(`Subproject commit ${Buffer.from(side.oid).toString("hex")}\n`);
  }
  const position = odb.find(side.oid);
  if (position < 0) {
    return odb.readHex(Buffer.from(side.oid).toString("hex")).bytes;
  }
  return odb.sizeAt(position) > maxTextBytes ? null : odb.read(position).bytes;
}
