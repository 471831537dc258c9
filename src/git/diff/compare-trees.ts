import type { ObjectDatabase } from "../odb/object-database.ts";
import { detectRenames, type RenameOptions } from "./detect-renames.ts";
import { isChanged, pairOf, type FilePair } from "./file-pair.ts";
import { diffTrees, type TreeChange } from "./tree-diff.ts";

export interface CompareTreesOptions {
  /** null: a renamed file is one removed and one added */
  readonly renames: RenameOptions | null;
  /** changes after this many are left out, and then no renames are looked for */
  readonly maxFiles: number;
}

export interface TreeComparison {
  /** in the order of `git diff` */
  readonly pairs: readonly FilePair[];
  /** whether there are more than `maxFiles` */
  readonly truncated: boolean;
}

/**
 * Finds the changes between two trees (null: the empty tree), including renames and copies. Yields now and then. Throws
 * MissingObject, CorruptObject, CorruptPack.
 */
export function* compareTrees(
  odb: ObjectDatabase,
  before: Uint8Array | null,
  after: Uint8Array | null,
  options: CompareTreesOptions,
): Generator<void, TreeComparison> {
  const { renames, maxFiles } = options;
  const changes: TreeChange[] = [];
  for (const change of diffTrees(odb, before, after, renames?.copies === "all")) {
    if (changes.length === maxFiles) {
      return { pairs: changes.map(pairOf).filter(isChanged), truncated: true };
    }
    changes.push(change);
    if ((changes.length & 0xff) === 0) {
      yield;
    }
  }
  const pairs = renames === null ? changes.map(pairOf) : yield* detectRenames(odb, changes, renames);
  return { pairs, truncated: false };
}
