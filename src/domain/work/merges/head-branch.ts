import type { RepositoryAccess } from "../../../auth/subject.ts";
import { createBranch } from "../../git/branches/create-branch.ts";
import { deleteBranch } from "../../git/branches/delete-branch.ts";
import type { UserDoer } from "../../spine/doer.ts";
import { Conflict, NotFound } from "../../spine/errors.ts";
import type { Forge } from "../../spine/forge.ts";
import { findPull, type PullRow } from "../pulls/queries.ts";
import { isBranchOfOpenPull } from "./merge-queries.ts";

/** A pull request that is not open, from a branch of its own repository. Throws NotFound, Conflict. */
async function getEnded(forge: Forge, { repository }: RepositoryAccess, number: number): Promise<PullRow> {
  const found = await findPull(forge.database.db, repository.id, number);
  if (found === null) {
    throw new NotFound("pull request", String(number));
  }
  const { pull } = found;
  if (pull.open) {
    throw new Conflict(`Pull request #${number} is open, and needs its branch`);
  }
  if (pull.flow !== "branch" || pull.headRepositoryId !== repository.id) {
    throw new Conflict(`Pull request #${number} is from no branch of this repository`);
  }
  return pull;
}

/** Deletes the head branch of a pull request that was merged or closed. Throws what deleteBranch throws, and Conflict where another one needs it. */
export async function deleteHeadBranch(
  forge: Forge,
  doer: UserDoer,
  access: RepositoryAccess,
  number: number,
): Promise<string> {
  const { headBranch } = await getEnded(forge, access, number);
  if (await isBranchOfOpenPull(forge.database.db, access.repository.id, headBranch)) {
    throw new Conflict(`Another open pull request needs the branch "${headBranch}"`);
  }
  await deleteBranch(forge, doer, access, headBranch);
  return headBranch;
}

/** Makes the head branch of a pull request again, at the head that it had. Throws what createBranch throws. */
export async function restoreHeadBranch(
  forge: Forge,
  doer: UserDoer,
  access: RepositoryAccess,
  number: number,
): Promise<string> {
  const { headBranch, headOid } = await getEnded(forge, access, number);
  await createBranch(forge, doer, access, { name: headBranch, start: headOid });
  return headBranch;
}
