import { mergeCommits } from "../merge/merge-commits.ts";
import type { MergeLabels } from "../merge/merge-state.ts";
import { mergeTrees as mergeThreeTrees, type MergedTree } from "../merge/merge-trees.ts";
import { ObjectOverlay } from "../merge/object-overlay.ts";
import { rootTree } from "../tree/find-path.ts";
import { commitPosition } from "./commit-position.ts";
import type { Steps } from "../job/job.ts";
import type { OpenRepository } from "./open-repository.ts";

export interface MergeTreesArgs {
  /** hexadecimal oids of the commits to merge */
  readonly ours: string;
  readonly theirs: string;
  /**
   * null: their merge bases. Else the commit (or tree) that both are compared with: the parent of `theirs` picks that
   * one commit.
   */
  readonly base: string | null;
  readonly labels: MergeLabels;
}

/**
 * Merges two commits. Returns the oid of the tree, which is not written, and the conflicts. Throws MissingObject,
 * CorruptObject, CorruptPack, DiffTooCostly.
 */
export function* mergeTrees(repository: OpenRepository, args: MergeTreesArgs): Steps<MergedTree> {
  const { odb, generations } = repository;
  const objects = new ObjectOverlay(odb);
  if (args.base === null) {
    return yield* mergeCommits(
      objects,
      generations,
      commitPosition(repository, args.ours),
      commitPosition(repository, args.theirs),
      args.labels,
    );
  }
  const trees = { base: rootTree(odb, args.base), ours: rootTree(odb, args.ours), theirs: rootTree(odb, args.theirs) };
  return yield* mergeThreeTrees(objects, trees, args.labels);
}
