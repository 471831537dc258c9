import { and, asc, eq, getTableColumns, sql } from "drizzle-orm";
import { ownerShownSql, ownerVisibleSql, usersGivenSql } from "../../auth/access-sql.ts";
import type { OwnerRow, RepositoryAccess } from "../../auth/subject.ts";
import { limitsOf, type CredentialLimits, type Viewer } from "../../auth/viewer-of.ts";
import type { Reader } from "../../db/client.ts";
import { preparedByShape } from "../../db/prepared-by-shape.ts";
import { accessModes, account, owner, type Unit } from "../../db/schema/owners.ts";
import { viewerValues } from "./list-queries.ts";
import { viewerSql } from "./list-sql-queries.ts";

interface Shape extends CredentialLimits {
  readonly units: readonly Unit[];
  readonly level: "read" | "write";
  /** The viewer administers the repository. */
  readonly administers: boolean;
}

const id = (name: string) => sql`${sql.placeholder(name)}::bigint`;

const entitledTo = preparedByShape((db: Reader, { units, level, administers, ...limits }: Shape) => {
  const viewer = viewerSql(limits);
  return db
    .select(getTableColumns(owner))
    .from(sql`${usersGivenSql(id("repositoryId"), id("ownerId"), units, accessModes[level])} given`)
    .innerJoin(owner, sql`${owner.id} = given.id`)
    .innerJoin(account, eq(account.ownerId, owner.id))
    .where(
      and(account.active, sql`not ${account.suspended}`, administers ? ownerShownSql(viewer) : ownerVisibleSql(viewer)),
    )
    .orderBy(asc(owner.lowerName))
    .prepare("list_entitled");
});

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
  const shape = { units, level, administers: mode >= accessModes.admin, ...limitsOf(viewer.credential) };
  const values = { ...viewerValues(viewer), repositoryId: repository.id, ownerId: holder.id };
  return entitledTo(db, shape).execute(values);
}
