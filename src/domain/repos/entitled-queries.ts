import { and, asc, eq, getTableColumns, sql, type SQL } from "drizzle-orm";
import { ownerShownSql, ownerVisibleSql, usersGivenSql } from "../../auth/access-sql.ts";
import type { OwnerRow, RepositoryAccess } from "../../auth/subject.ts";
import { viewerOf, type Viewer } from "../../auth/viewer-of.ts";
import type { Reader } from "../../db/client.ts";
import { accessModes, account, owner, type Unit } from "../../db/schema/owners.ts";

/**
 * The users, by name, who were given this access to one of the units of a repository that are switched on: its owner,
 * collaborators, and members of teams, unless the owner blocked them or they may not sign in. The viewer learns of nobody
 * whom they could not know of otherwise, unless they administer the repository.
 */
export async function listEntitled(
  db: Reader,
  viewer: Viewer,
  { repository, mode, owner: holder }: Pick<RepositoryAccess, "repository" | "mode" | "owner">,
  units: readonly Unit[],
  level: "read" | "write",
): Promise<OwnerRow[]> {
  const known: SQL | undefined =
    mode >= accessModes.admin ? ownerShownSql(viewerOf(viewer)) : ownerVisibleSql(viewerOf(viewer));
  return db
    .select(getTableColumns(owner))
    .from(sql`${usersGivenSql(repository.id, holder.id, units, accessModes[level])} given`)
    .innerJoin(owner, sql`${owner.id} = given.id`)
    .innerJoin(account, eq(account.ownerId, owner.id))
    .where(and(account.active, sql`not ${account.suspended}`, known))
    .orderBy(asc(owner.lowerName));
}
