import type { OwnerRow, RepositoryAccess } from "../../../auth/subject.ts";
import { InvalidInput } from "../../../lib/errors.ts";
import { Conflict, Forbidden, NotFound } from "../../spine/errors.ts";
import { lockAccount } from "../../spine/lock-queries.ts";
import { isBlockedBy } from "../../identity/social/queries.ts";
import { deleteCollaborator, lockCollaborator, upsertCollaborator } from "./queries.ts";
import type { Work } from "../../spine/work.ts";
import { namedOwner, namedRepository, type NamedOwner } from "../../spine/events/names.ts";

/**
 * Gives a user access to a repository, or another access than before. `seen`: the access that the caller saw. Throws InvalidInput for its owner,
 * Forbidden when user or owner keep the other away, NotFound when the user is gone, Conflict when they have another access than was seen.
 */
export async function addCollaborator(
  work: Work,
  access: RepositoryAccess,
  user: OwnerRow,
  mode: number,
  seen?: number,
): Promise<void> {
  const { tx } = work;
  const { repository, owner } = access;
  if (user.id === owner.id) {
    throw new InvalidInput(`"${user.name}" owns the repository and cannot be a collaborator`, "collaborator");
  }
  if (!(await lockAccount(tx, user.id))) {
    throw new NotFound("user", user.name);
  }
  if ((await isBlockedBy(tx, user.id, owner.id)) || (await isBlockedBy(tx, owner.id, user.id))) {
    throw new Forbidden(
      `"${user.name}" cannot be a collaborator: they or the owner of the repository blocked the other`,
    );
  }
  if (seen !== undefined && (await lockCollaborator(tx, repository.id, user.id)) !== seen) {
    throw new Conflict(`Somebody else changed the access of "${user.name}" meanwhile`);
  }
  await upsertCollaborator(tx, repository.id, user.id, mode);
  work.tell({ kind: "collaborator.added", repository: namedRepository(access), user: namedOwner(user) });
}

/** Takes a user's access to a repository away. False when they are no collaborator. */
export async function removeCollaborator(work: Work, access: RepositoryAccess, user: NamedOwner): Promise<boolean> {
  if (!(await deleteCollaborator(work.tx, access.repository.id, user.id))) {
    return false;
  }
  work.tell({ kind: "collaborator.removed", repository: namedRepository(access), user: namedOwner(user) });
  return true;
}
