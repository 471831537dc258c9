import type { RepositoryAccess } from "../../../auth/subject.ts";
import type { FileChange } from "../../../git/edit/apply-changes.ts";
import { StithyError } from "../../../lib/errors.ts";
import type { Doer } from "../../spine/doer.ts";
import type { Forge } from "../../spine/forge.ts";
import { commitFiles, type BranchTip, type CommitOptions, type FilesCommitted } from "./commit-files.ts";

export interface CommitPatch {
  repository: RepositoryAccess;
  /** in the unified format */
  patch: Uint8Array;
  options: CommitOptions;
}

/** Commits what a patch makes of the files of a branch. Throws what `changesByPatch` and `commitFiles` throw. */
export async function commitPatch(forge: Forge, doer: Doer, request: CommitPatch): Promise<FilesCommitted> {
  const { repository, patch, options } = request;
  return commitFiles(forge, doer, { repository, changes: changesByPatch(forge, patch), options });
}

/**
 * Returns what makes the changes of a patch to the files of a tip. A part that was moved by other changes is found by its
 * lines, but all of them must be there. It throws PatchRefused and NothingToCommit (code "patch-refused").
 */
export function changesByPatch(forge: Forge, patch: Uint8Array): (tip: BranchTip) => Promise<readonly FileChange[]> {
  return async ({ view, commit }) => {
    const changes = await forge.git.engine.call(view, "changesOfPatch", { commit, patch });
    if (changes.length === 0) {
      throw new NothingToCommit();
    }
    return changes;
  };
}

/** The patch makes nothing that is not there already. */
class NothingToCommit extends StithyError {
  constructor() {
    super("invalid", "patch-refused", "Cannot commit the patch: it changes nothing", {});
  }
}
