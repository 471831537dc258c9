import { and, asc, eq, inArray, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import { unitVisibleSql } from "../../../auth/access-sql.ts";
import type { Transaction } from "../../../db/client.ts";
import { issueMention } from "../../../db/schema/issues.ts";
import { account, owner, type Unit } from "../../../db/schema/owners.ts";
import { repository } from "../../../db/schema/repositories.ts";
import type { NamedOwner } from "../../spine/events/names.ts";

const mentioned = alias(owner, "mentioned");

/** Writes that the active users of these names are mentioned who may read the unit. Returns those who were not before. */
export async function insertMentions(
  tx: Transaction,
  repositoryId: number,
  issueId: number,
  unit: Unit,
  lowerNames: readonly string[],
): Promise<NamedOwner[]> {
  const reader = {
    id: sql`${account.ownerId}`,
    isAdmin: sql`${account.isAdmin}`,
    restricted: sql`${account.restricted}`,
  };
  const found = await tx
    .select({ id: mentioned.id, name: mentioned.name })
    .from(mentioned)
    .innerJoin(account, eq(account.ownerId, mentioned.id))
    .innerJoin(repository, eq(repository.id, repositoryId))
    .innerJoin(owner, eq(owner.id, repository.ownerId))
    .where(
      and(
        inArray(mentioned.lowerName, [...lowerNames]),
        account.active,
        sql`not ${account.suspended}`,
        unitVisibleSql(reader, unit),
      ),
    )
    .orderBy(asc(mentioned.id));
  if (found.length === 0) {
    return [];
  }
  const added = await tx
    .insert(issueMention)
    .values(found.map(({ id }) => ({ issueId, userId: id })))
    .onConflictDoNothing()
    .returning({ id: issueMention.userId });
  const ids = new Set(added.map(({ id }) => id));
  return found.filter(({ id }) => ids.has(id));
}
