import { addCommit } from "../edit/add-commit.ts";
import { NewObjects } from "../edit/new-objects.ts";
import { mergeTrees, type MergeConflict } from "../merge/merge-trees.ts";
import { ObjectOverlay } from "../merge/object-overlay.ts";
import { parseCommit, type Commit } from "../objects/commit.ts";
import { objectFormat } from "../objects/object-format.ts";
import type { Signature } from "../objects/signature.ts";
import type { EngineCaches } from "../odb/engine-caches.ts";
import { ObjectDatabase } from "../odb/object-database.ts";
import type { PackDestination } from "../pack/staged-pack.ts";
import { rootTree } from "../tree/find-path.ts";
import type { Job } from "../job/job.ts";
import type { RepositoryView } from "../job/repository-view.ts";
import { finishSteps } from "./finish-steps.ts";
import { ObjectStage } from "./stage-objects.ts";
import type { WrittenPack } from "./write-objects.ts";

export interface PickCommitsArgs {
  /** hexadecimal oid of the commit that the first one comes after */
  readonly onto: string;
  /** in the order in which they come after each other: see `commitsToPick` */
  readonly commits: readonly {
    readonly oid: string;
    /** takes the place of the commit's own where it is the last one that is made; null: it stays */
    readonly messageIfLast: string | null;
  }[];
  /** of all commits that are made anew */
  readonly committer: Signature;
  /** a merge of the picked commits into `onto`, even though that is a fast-forward; null: none */
  readonly merge: { readonly author: Signature; readonly message: string } | null;
  readonly destination: PackDestination;
}

export interface PickCommitsResult extends WrittenPack {
  /** hexadecimal; null when there are conflicts: nothing was written then */
  readonly tip: string | null;
  /** the last of the picked commits, below the merge where there is one: `onto` where each would have been empty */
  readonly last: string | null;
  /** the commit that could not be picked */
  readonly conflict: { readonly oid: string; readonly conflicts: readonly MergeConflict[] } | null;
}

type NewCommit = Pick<Commit, "tree" | "parents" | "author" | "message">;

/** The commit that the next one comes after. */
interface Tip {
  readonly tree: string;
  /** null: it is not made yet, as it may be the last one */
  oid: string | null;
  /** null: nothing was picked yet */
  readonly commit: NewCommit | null;
  readonly messageIfLast: string | null;
}

/**
 * Picks commits one after the other, as `git rebase` does: authors, their dates and messages stay; a commit that follows
 * its own parent stays as it is; one that has become empty is left out, and one that always was empty is kept.
 * What is new is in one pack; refs are the caller's. Throws MissingObject, CorruptObject, CorruptPack, DiffTooCostly, EngineCancelled.
 */
export async function pickCommits(
  view: RepositoryView,
  args: PickCommitsArgs,
  caches: EngineCaches,
  job: Job,
): Promise<PickCommitsResult> {
  const format = objectFormat(view.format);
  using db = ObjectDatabase.open(format, view.packs, caches);
  const overlay = new ObjectOverlay(db);
  const objects = new NewObjects(db);
  await using stage = new ObjectStage(format, args.destination);
  const make = (commit: NewCommit) => addCommit(objects, format, { ...commit, committer: args.committer });
  const settle = async (tip: Tip): Promise<string> => (tip.oid ??= await make(tip.commit!));
  let tip: Tip = { tree: rootTree(db, args.onto), oid: args.onto, commit: null, messageIfLast: null };
  for (const { oid, messageIfLast } of args.commits) {
    const commit = parseCommit(db.readHex(oid).bytes, format);
    const { author, message } = commit;
    const [parent = null] = commit.parents;
    const after = await settle(tip);
    if (parent === after) {
      tip = { tree: commit.tree, oid, commit, messageIfLast };
      continue;
    }
    const base = parent === null ? null : rootTree(db, parent);
    const name = `${oid.slice(0, 7)} (${message.split("\n", 1)[0]})`;
    const labels = { ours: "HEAD", base: `parent of ${name}`, theirs: name };
    const merged = finishSteps(mergeTrees(overlay, { base, ours: tip.tree, theirs: commit.tree }, labels), job);
    if (!merged.clean) {
      return { tip: null, last: null, conflict: { oid, conflicts: merged.conflicts }, pack: null };
    }
    if (merged.tree !== tip.tree || commit.tree === base) {
      overlay.collect(merged.tree, objects);
      stage.write(objects.take());
      const picked = { tree: merged.tree, parents: [after], author, message };
      tip = { tree: merged.tree, oid: null, commit: picked, messageIfLast };
    }
    // The next commit is merged with the tree of this one, and with nothing that came before.
    overlay.keepOnly(tip.tree);
  }
  const { commit, messageIfLast, tree } = tip;
  const isReworded = commit !== null && messageIfLast !== null && messageIfLast !== commit.message;
  const last = isReworded ? await make({ ...commit, message: messageIfLast }) : await settle(tip);
  const done = args.merge === null ? last : await make({ ...args.merge, tree, parents: [args.onto, last] });
  stage.write(objects.take());
  return { tip: done, last, conflict: null, pack: stage.finish() };
}
