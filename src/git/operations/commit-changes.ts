import { applyChanges, type ChangedFile, type FileChange } from "../edit/apply-changes.ts";
import { addCommit } from "../edit/add-commit.ts";
import { NewObjects } from "../edit/new-objects.ts";
import { TreeEditor } from "../edit/tree-editor.ts";
import { objectFormat } from "../objects/object-format.ts";
import type { Signature } from "../objects/signature.ts";
import type { EngineCaches } from "../odb/engine-caches.ts";
import { ObjectDatabase } from "../odb/object-database.ts";
import { rootTree } from "../tree/find-path.ts";
import type { PackDestination } from "../pack/staged-pack.ts";
import { stageObjects } from "./stage-objects.ts";
import type { RepositoryView } from "../job/repository-view.ts";
import type { WrittenPack } from "./write-objects.ts";

export interface CommitChangesArgs {
  /** hexadecimal; the first one's tree is what the changes apply to; none for the first commit of a repository */
  readonly parents: readonly string[];
  readonly changes: readonly FileChange[];
  readonly author: Signature;
  readonly committer: Signature;
  /** as it is to be stored */
  readonly message: string;
  readonly destination: PackDestination;
}

export interface CommitChangesResult extends WrittenPack {
  readonly commit: string;
  readonly tree: string;
  /** whether the tree is that of the first parent */
  readonly unchanged: boolean;
  /** one for each change */
  readonly files: readonly ChangedFile[];
}

/**
 * Makes a commit of changes to files, with all its new trees and blobs, as one small pack; refs are the caller's.
 * Throws InvalidEdit, EditConflict (nothing was written then), MissingObject, CorruptObject, CorruptPack.
 */
export async function commitChanges(
  view: RepositoryView,
  args: CommitChangesArgs,
  caches: EngineCaches,
): Promise<CommitChangesResult> {
  const format = objectFormat(view.format);
  using odb = ObjectDatabase.open(format, view.packs, caches);
  const [parent] = args.parents;
  const before = parent === undefined ? null : rootTree(odb, parent);
  const objects = new NewObjects(odb);
  const editor = new TreeEditor(odb, before);
  const files = applyChanges(editor, objects, args.changes);
  const tree = editor.write(objects);
  const { parents, author, committer, message } = args;
  const commit = await addCommit(objects, format, { tree, parents, author, committer, message });
  return {
    commit,
    tree,
    unchanged: tree === before,
    files,
    pack: await stageObjects(format, objects.list, args.destination),
  };
}
