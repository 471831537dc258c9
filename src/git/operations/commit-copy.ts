import { applyChanges, type FileChange } from "../edit/apply-changes.ts";
import { addCommit } from "../edit/add-commit.ts";
import { NewObjects } from "../edit/new-objects.ts";
import { TreeEditor } from "../edit/tree-editor.ts";
import type { Job } from "../job/job.ts";
import type { RepositoryView } from "../job/repository-view.ts";
import { objectFormat } from "../objects/object-format.ts";
import type { Signature } from "../objects/signature.ts";
import { EngineCaches } from "../odb/engine-caches.ts";
import { ObjectDatabase } from "../odb/object-database.ts";
import { discardPack, stagePack, temporaryPack, type PackDestination, type StagedPack } from "../pack/staged-pack.ts";
import { repack } from "../repack/repack.ts";
import { rootTree } from "../tree/find-path.ts";
import { stageObjects } from "./stage-objects.ts";

export interface CommitCopyArgs {
  /** hexadecimal oid of the commit whose files are copied */
  readonly commit: string;
  readonly changes: readonly FileChange[];
  readonly author: Signature;
  readonly committer: Signature;
  /** as it is to be stored */
  readonly message: string;
  readonly destination: PackDestination;
}

/** Objects and windows of packs kept while entries are copied. */
const cacheBytes = 32 * 1024 * 1024;

/**
 * Makes the first commit of another repository from the files of a commit, with changes, as a pack of all that it reaches
 * and nothing else. Entries are copied as they are stored. Throws InvalidEdit, EditConflict (nothing was written then),
 * MissingObject, CorruptObject, CorruptPack, StorageFull, EngineCancelled.
 */
export async function commitCopy(
  view: RepositoryView,
  args: CommitCopyArgs,
  caches: EngineCaches,
  job: Job,
): Promise<{ readonly commit: string; readonly pack: StagedPack }> {
  const format = objectFormat(view.format);
  const { commit, staged } = await writeNewObjects();
  const path = temporaryPack(args.destination);
  try {
    return { commit, pack: copyReachable() };
  } catch (error) {
    await discardPack(path);
    throw error;
  } finally {
    if (staged !== null) {
      await discardPack(staged.path);
    }
  }

  async function writeNewObjects() {
    using odb = ObjectDatabase.open(format, view.packs, caches);
    const objects = new NewObjects(odb);
    const editor = new TreeEditor(odb, rootTree(odb, args.commit));
    applyChanges(editor, objects, args.changes);
    const { author, committer, message } = args;
    const tree = editor.write(objects);
    const oid = await addCommit(objects, format, { tree, parents: [], author, committer, message });
    // None where the commit itself was made of the same files in the same second.
    return { commit: oid, staged: await stageObjects(format, objects.list, args.destination) };
  }

  function copyReachable(): StagedPack {
    // A cache of its own, so that objects that are read once do not evict objects that others read again.
    using own = new EngineCaches(cacheBytes);
    using db = ObjectDatabase.open(format, [...(staged === null ? [] : [staged.path]), ...view.packs], own);
    const step = job.throttled();
    const { packs } = repack(db, own, {
      tips: [commit],
      keep: [],
      deltas: "stored",
      temporaryPath: () => path,
      step: (phase, done, total) => step({ phase, done, total }),
    });
    return stagePack(packs[0]!, args.destination.directory);
  }
}
