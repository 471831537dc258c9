import type { TreeChange, TreeSide } from "./tree-diff.ts";

/** A file, symbolic link or submodule on one side of a pair. */
export interface FileSide extends TreeSide {
  readonly path: string;
  /** the path's bytes where these are not UTF-8 */
  readonly rawPath?: Uint8Array;
}

/** `retyped`: at one path, a file became a symbolic link or a submodule, or the other way round. */
export type FileStatus = "added" | "removed" | "modified" | "retyped" | "renamed" | "copied";

/** A change of a file between two trees. `before` is null for an added file, `after` for a removed one. */
export interface FilePair {
  readonly status: FileStatus;
  readonly before: FileSide | null;
  readonly after: FileSide | null;
  /** of a renamed or copied file how much of it stayed, percent; otherwise null */
  readonly similarity: number | null;
}

/** The letter that `git diff --raw` prints for a status. */
export const statusLetters: Readonly<Record<FileStatus, string>> = {
  added: "A",
  removed: "D",
  modified: "M",
  retyped: "T",
  renamed: "R",
  copied: "C",
};

/** The pair of a change at one path. */
export function pairOf(change: TreeChange): FilePair {
  const before = sideOf(change, change.before);
  const after = sideOf(change, change.after);
  return { status: statusOf(before, after), before, after, similarity: null };
}

function statusOf(before: TreeSide | null, after: TreeSide | null): FileStatus {
  if (before === null) {
    return "added";
  }
  if (after === null) {
    return "removed";
  }
  return isSameType(before.mode, after.mode) ? "modified" : "retyped";
}

/** Whether a pair at one path differs at all. */
export function isChanged({ before, after }: FilePair): boolean {
  return before === null || after === null || before.mode !== after.mode || Buffer.compare(before.oid, after.oid) !== 0;
}

export function isRegularFile(mode: number): boolean {
  return (mode & 0o170000) === 0o100000;
}

function sideOf(change: TreeChange, side: TreeSide | null): FileSide | null {
  const { path, rawPath } = change;
  return side === null ? null : { ...side, path, ...(rawPath === undefined ? {} : { rawPath }) };
}

function isSameType(left: number, right: number): boolean {
  return (left & 0o170000) === (right & 0o170000);
}
