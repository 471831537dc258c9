import type { RepositoryAccess } from "../../../auth/subject.ts";
import { StithyError } from "../../../lib/errors.ts";
import type { Doer } from "../../spine/doer.ts";
import { NotFound } from "../../spine/errors.ts";
import type { Forge } from "../../spine/forge.ts";
import { commitFiles, type CommitOptions, type FilesCommitted } from "./commit-files.ts";
import { BranchMoved, ContentMismatch } from "./errors.ts";

export interface CommitPatch {
  repository: RepositoryAccess;
  /** in the unified format */
  patch: Uint8Array;
  options: CommitOptions;
}

/** The branch may move between reading its files and committing: so often is the patch applied again to what is there then. */
const attempts = 4;

/**
 * Commits what a patch makes of the files of a branch. A part that was moved by other changes is found by its lines, but
 * all of them must be there. Throws PatchRefused (code "patch-refused") and what `commitFiles` throws.
 */
export async function commitPatch(forge: Forge, doer: Doer, request: CommitPatch): Promise<FilesCommitted> {
  const { repository: access, patch, options } = request;
  const { repository } = access;
  const branch = options.branch || repository.defaultBranch;
  for (let attempt = 1; ; attempt++) {
    const tip = await forge.git.refs.findRef(repository.id, `refs/heads/${branch}`);
    if (tip === null && !repository.empty) {
      throw new NotFound("branch", branch);
    }
    const view =
      tip === null
        ? await forge.git.views.current(repository)
        : await forge.git.views.view({ ...repository, generation: tip.generation });
    const changes = await forge.git.engine.call(view, "changesOfPatch", { commit: tip?.oid ?? null, patch });
    if (changes.length === 0) {
      throw new NothingToCommit();
    }
    try {
      return await commitFiles(forge, doer, { repository: access, changes, options });
    } catch (error) {
      const isOvertaken = error instanceof ContentMismatch || error instanceof NotFound;
      if (!isOvertaken || (await forge.git.refs.findRef(repository.id, `refs/heads/${branch}`))?.oid === tip?.oid) {
        throw error;
      }
      if (attempt === attempts) {
        throw new BranchMoved(branch);
      }
    }
  }
}

/** The patch makes nothing that is not there already. */
class NothingToCommit extends StithyError {
  constructor() {
    super("invalid", "patch-refused", "Cannot commit the patch: it changes nothing", {});
  }
}
