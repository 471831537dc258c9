import type { OwnerRow, RepositoryAccess, RepositoryRow } from "../../../auth/subject.ts";
import { NotFound } from "../../spine/errors.ts";
import { lockRepositoryRow } from "../../spine/lock-queries.ts";
import type { Work } from "../../spine/work.ts";
import { findOwnerById } from "./queries.ts";

/**
 * Locks the repository's row, looks again at the doer, and returns the repository with the owner that it has now. Throws
 * NotFound when it is gone, and what `lookAgain` throws.
 */
export async function lockForTransfer(
  work: Work,
  access: RepositoryAccess,
): Promise<{ repository: RepositoryRow; owner: OwnerRow }> {
  const repository = await lockRepositoryRow(work.tx, access.repository.id);
  const owner = repository === null ? null : await findOwnerById(work.tx, repository.ownerId);
  if (repository === null || owner === null) {
    throw new NotFound("repository", `${access.owner.name}/${access.repository.name}`);
  }
  await work.lookAgainLocked(repository.id);
  return { repository, owner };
}
