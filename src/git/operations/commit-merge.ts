import { addCommit } from "../edit/add-commit.ts";
import { NewObjects } from "../edit/new-objects.ts";
import { Generations } from "../graph/generations.ts";
import { RepositoryReader } from "../graph/repository-reader.ts";
import { mergeCommits } from "../merge/merge-commits.ts";
import { mergeTrees, type MergedTree } from "../merge/merge-trees.ts";
import { resolveConflicts, type Resolution } from "../merge/resolve-conflicts.ts";
import { ObjectOverlay } from "../merge/object-overlay.ts";
import { objectFormat } from "../objects/object-format.ts";
import type { Signature } from "../objects/signature.ts";
import type { EngineCaches } from "../odb/engine-caches.ts";
import { MissingObject, ObjectDatabase } from "../odb/object-database.ts";
import { rootTree } from "../tree/find-path.ts";
import type { Job } from "../job/job.ts";
import type { PackDestination } from "../pack/staged-pack.ts";
import { finishSteps } from "./finish-steps.ts";
import { stageObjects } from "./stage-objects.ts";
import type { RepositoryView } from "../job/repository-view.ts";
import type { MergeTreesArgs } from "./merge-trees.ts";
import type { WrittenPack } from "./write-objects.ts";

export interface CommitMergeArgs extends MergeTreesArgs {
  /** of the new commit, hexadecimal: both for a merge, one for a picked or squashed commit */
  readonly parents: readonly string[];
  readonly author: Signature;
  readonly committer: Signature;
  /** as it is to be stored */
  readonly message: string;
  /** what takes the place of files with conflicts: where that is all of them, there is a commit */
  readonly resolutions?: readonly Resolution[];
  readonly destination: PackDestination;
}

export interface CommitMergeResult extends WrittenPack {
  /** null when there are conflicts: nothing was written then */
  readonly commit: string | null;
  readonly merged: MergedTree;
}

/**
 * Merges two commits and makes a commit of the result, with all that is new in one small pack; refs are the caller's.
 * Throws MissingObject, CorruptObject, CorruptPack, DiffTooCostly, EngineCancelled.
 */
export async function commitMerge(
  view: RepositoryView,
  args: CommitMergeArgs,
  caches: EngineCaches,
  job: Job,
): Promise<CommitMergeResult> {
  const format = objectFormat(view.format);
  using reader = new RepositoryReader(ObjectDatabase.open(format, view.packs, caches));
  if (args.base === null) {
    // Else no history is walked.
    reader.inherit(null);
  }
  const { db } = reader;
  const overlay = new ObjectOverlay(db);
  const merged = finishSteps(
    args.base === null ? mergeFromBases(reader, overlay, args) : mergeFrom(args.base, db, overlay, args),
    job,
  );
  const tree = merged.clean ? merged.tree : resolveConflicts(overlay, merged, args.resolutions ?? []);
  if (tree === null) {
    return { commit: null, merged, pack: null };
  }
  const objects = new NewObjects(db);
  overlay.collect(tree, objects);
  const { parents, author, committer, message } = args;
  const commit = await addCommit(objects, format, { tree, parents, author, committer, message });
  return { commit, merged, pack: await stageObjects(format, objects.list, args.destination) };
}

function mergeFromBases(
  { db, graph }: RepositoryReader,
  overlay: ObjectOverlay,
  args: CommitMergeArgs,
): Generator<void, MergedTree> {
  const position = (oid: string): number => {
    const found = db.findHex(oid);
    if (found < 0) {
      throw new MissingObject(oid);
    }
    return found;
  };
  return mergeCommits(overlay, new Generations(graph), position(args.ours), position(args.theirs), args.labels);
}

function mergeFrom(
  base: string,
  db: ObjectDatabase,
  overlay: ObjectOverlay,
  args: CommitMergeArgs,
): Generator<void, MergedTree> {
  const trees = { base: rootTree(db, base), ours: rootTree(db, args.ours), theirs: rootTree(db, args.theirs) };
  return mergeTrees(overlay, trees, args.labels);
}
