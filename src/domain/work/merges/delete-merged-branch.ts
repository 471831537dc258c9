import type { RepositoryAccess } from "../../../auth/subject.ts";
import { StithyError } from "../../../lib/errors.ts";
import { permitToPush } from "./permit-to-push.ts";
import type { UserDoer } from "../../spine/doer.ts";
import { namedRepository } from "../../spine/events/names.ts";
import type { Forge } from "../../spine/forge.ts";
import { moveRefs } from "../../git/refs/move-refs.ts";
import type { Work } from "../../spine/work.ts";
import { isBranchOfOpenPull } from "./merge-queries.ts";
import { findTip, type IssueAndPull } from "../pulls/queries.ts";

/**
 * Deletes the head branch of a pull request that this unit of work merges, where it is a branch of the base repository. It stays if
 * it is the default branch, a rule protects it, it has commits that were not merged, or another open pull request is from or for it.
 */
export async function deleteOwnBranch(work: Work, access: RepositoryAccess, { pull }: IssueAndPull): Promise<void> {
  if (pull.flow === "branch" && pull.headRepositoryId === access.repository.id) {
    await deleteBranch(work, access, pull);
  }
}

/**
 * Deletes the head branch of a merged pull request in its fork, where the doer may push to it. The pull request is merged whatever
 * becomes of the branch: it stays for the same reasons, and if the doer may not delete it.
 */
export async function deleteForkBranch(
  forge: Forge,
  doer: UserDoer,
  { repository: base }: RepositoryAccess,
  { pull }: IssueAndPull,
): Promise<void> {
  const { headRepositoryId } = pull;
  if (pull.flow !== "branch" || headRepositoryId === null || headRepositoryId === base.id) {
    return;
  }
  try {
    const { repository } = await forge.identity.findSubject(
      { userId: doer.actor.id },
      { repositoryId: headRepositoryId },
    );
    if (repository !== null) {
      await forge.change(permitToPush(doer, repository), (work) => deleteBranch(work, repository, pull));
    }
  } catch (error) {
    if (
      !(error instanceof StithyError) ||
      !["forbidden", "absent", "conflict", "unauthenticated"].includes(error.kind)
    ) {
      throw error;
    }
    forge.log.debug({ repository: headRepositoryId, reason: error.message }, "A merged branch was not deleted");
  }
}

async function deleteBranch(work: Work, access: RepositoryAccess, pull: IssueAndPull["pull"]): Promise<void> {
  const { repository } = access;
  const isNeeded =
    repository.defaultBranch === pull.headBranch ||
    (await findTip(work.tx, repository.id, pull.headBranch)) !== pull.headOid ||
    (await isBranchOfOpenPull(work.tx, repository.id, pull.headBranch));
  if (!isNeeded) {
    await moveRefs(work, {
      repository: namedRepository(access),
      changes: [{ name: `refs/heads/${pull.headBranch}`, oldOid: pull.headOid, newOid: null, peeled: null }],
      reason: "delete merged branch",
      // A refused change stays as it was: the merge does not depend on it.
      single: true,
    });
  }
}
