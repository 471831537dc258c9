import { eq } from "drizzle-orm";
import type { RepositoryAccess } from "../../../auth/subject.ts";
import { repositoryAccess, sameInEveryUnit } from "../../../auth/unit-modes.ts";
import type { Reader } from "../../../db/client.ts";
import { accessModes, account, owner } from "../../../db/schema/owners.ts";
import { repository } from "../../../db/schema/repositories.ts";
import { getRepositoryCounts } from "../../repos/queries.ts";

/** Whether an owner is a user who is suspended. */
export async function isSuspended(db: Reader, ownerId: number): Promise<boolean> {
  const [row] = await db.select({ suspended: account.suspended }).from(account).where(eq(account.ownerId, ownerId));
  return row?.suspended === true;
}

/** A repository as the server itself meets it; null when it is gone. */
export async function findForServer(db: Reader, repositoryId: number): Promise<RepositoryAccess | null> {
  const [row] = await db
    .select({ repository, owner })
    .from(repository)
    .innerJoin(owner, eq(owner.id, repository.ownerId))
    .where(eq(repository.id, repositoryId));
  if (row === undefined) {
    return null;
  }
  const counts = await getRepositoryCounts(db, repositoryId);
  return repositoryAccess(row.repository, row.owner, counts, sameInEveryUnit(accessModes.owner));
}
