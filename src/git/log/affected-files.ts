import { hexToBytes } from "../objects/oid.ts";
import { countLinesOf } from "../diff/change-stats.ts";
import { diffTrees, type TreeChange } from "../diff/tree-diff.ts";
import { parseCommit } from "../objects/commit.ts";
import type { ObjectDatabase } from "../odb/object-database.ts";
import type { CommitRecord } from "./commit-record.ts";

export interface AffectedFile {
  readonly filename: string;
  readonly status: "added" | "removed" | "modified";
}

export interface CommitStats {
  readonly total: number;
  readonly additions: number;
  readonly deletions: number;
}

/** The changes of a commit against its first parent; of a root commit against the empty tree. */
export interface CommitChanges {
  /** in the order of git; a renamed file is one removed and one added */
  readonly files: readonly AffectedFile[];
  /** whether there are more files than were listed */
  readonly truncated: boolean;
  /** lines over all files, listed or not; null when they were not asked for */
  readonly stats: CommitStats | null;
}

/**
 * Compares a commit with its first parent. Yields now and then.
 * Throws MissingObject, CorruptObject, CorruptPack.
 */
export function* findChanges(
  odb: ObjectDatabase,
  commit: Pick<CommitRecord, "tree" | "parents">,
  options: { readonly stats: boolean; readonly maxFiles: number },
): Generator<void, CommitChanges> {
  const parent = commit.parents[0];
  const before = parent === undefined ? null : hexToBytes(parseCommit(odb.readHex(parent).bytes, odb.format).tree);
  const files: AffectedFile[] = [];
  let additions = 0;
  let deletions = 0;
  let truncated = false;
  for (const change of diffTrees(odb, before, hexToBytes(commit.tree))) {
    if (files.length < options.maxFiles) {
      files.push(affectedFile(change));
    } else if (options.stats) {
      truncated = true;
    } else {
      return { files, truncated: true, stats: null };
    }
    if (options.stats) {
      const counts = countLinesOf(odb, change);
      additions += counts.additions;
      deletions += counts.deletions;
    }
    yield;
  }
  return { files, truncated, stats: options.stats ? { total: additions + deletions, additions, deletions } : null };
}

/** Describes the change of a file. */
export function affectedFile(change: TreeChange): AffectedFile {
  return {
    filename: change.path,
    status: change.before === null ? "added" : change.after === null ? "removed" : "modified",
  };
}
