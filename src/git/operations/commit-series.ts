import { applyChanges, type FileChange } from "../edit/apply-changes.ts";
import { CommitOfSeriesRefused } from "../edit/errors.ts";
import { addCommit } from "../edit/add-commit.ts";
import { NewObjects } from "../edit/new-objects.ts";
import { TreeEditor } from "../edit/tree-editor.ts";
import { objectFormat } from "../objects/object-format.ts";
import type { Signature } from "../objects/signature.ts";
import type { EngineCaches } from "../odb/engine-caches.ts";
import { ObjectDatabase } from "../odb/object-database.ts";
import { rootTree } from "../tree/find-path.ts";
import { StithyError } from "../../lib/errors.ts";
import type { PackDestination } from "../pack/staged-pack.ts";
import { stageObjects } from "./stage-objects.ts";
import type { RepositoryView } from "../job/repository-view.ts";
import type { WrittenPack } from "./write-objects.ts";

export interface CommitSeriesArgs {
  /** hexadecimal; what the first of the commits comes after; null in an empty repository */
  readonly parent: string | null;
  /** each comes after the one before it; at least one */
  readonly commits: readonly {
    readonly changes: readonly FileChange[];
    /** author and committer */
    readonly signature: Signature;
    /** as it is to be stored */
    readonly message: string;
  }[];
  readonly destination: PackDestination;
}

export interface CommitSeriesResult extends WrittenPack {
  /** hexadecimal; the last one, null when there were none to make */
  readonly tip: string | null;
}

/**
 * Makes commits that follow each other, all in one pack; refs are the caller's.
 * Throws CommitOfSeriesRefused, MissingObject, CorruptObject, CorruptPack.
 */
export async function commitSeries(
  view: RepositoryView,
  args: CommitSeriesArgs,
  caches: EngineCaches,
): Promise<CommitSeriesResult> {
  using odb = ObjectDatabase.open(objectFormat(view.format), view.packs, caches);
  const objects = new NewObjects(odb);
  const editor = new TreeEditor(odb, args.parent === null ? null : rootTree(odb, args.parent));
  let tip = args.parent;
  for (const [index, { changes, signature, message }] of args.commits.entries()) {
    try {
      applyChanges(editor, objects, changes);
    } catch (error) {
      throw error instanceof StithyError ? new CommitOfSeriesRefused(index, error) : error;
    }
    const tree = editor.write(objects);
    const parents = tip === null ? [] : [tip];
    tip = await addCommit(objects, odb.format, { tree, parents, author: signature, committer: signature, message });
  }
  return { tip, pack: await stageObjects(odb.format, objects.list, args.destination) };
}
