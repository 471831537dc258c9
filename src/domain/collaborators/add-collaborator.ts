import type { OwnerRow, RepositoryAccess } from "../../auth/subject.ts";
import type { Transaction } from "../../db/client.ts";
import { InvalidInput } from "../../lib/errors.ts";
import { Forbidden, NotFound } from "../errors.ts";
import { lockUser } from "../keys/queries.ts";
import { isBlockedBy } from "../social/queries.ts";
import { upsertCollaborator } from "./queries.ts";

/**
 * Gives a user access to a repository, or another access than before. Throws InvalidInput for its owner, Forbidden when
 * user or owner keep the other away, NotFound when the user is gone.
 */
export async function addCollaborator(tx: Transaction, { repository, owner }: RepositoryAccess, user: OwnerRow, mode: number): Promise<void> {
  if (user.id === owner.id) {
    throw new InvalidInput(`"${user.name}" owns the repository and cannot be a collaborator`, "collaborator");
  }
  if (!(await lockUser(tx, user.id))) {
    throw new NotFound("user", user.name);
  }
  if ((await isBlockedBy(tx, user.id, owner.id)) || (await isBlockedBy(tx, owner.id, user.id))) {
    throw new Forbidden(`"${user.name}" cannot be a collaborator: they or the owner of the repository blocked the other`);
  }
  await upsertCollaborator(tx, repository.id, user.id, mode);
}
