import { and, asc, or, sql } from "drizzle-orm";
import type { Reader } from "../../../db/client.ts";
import { accessModes, account, team, teamMember } from "../../../db/schema/owners.ts";
import { repository } from "../../../db/schema/repositories.ts";

/**
 * The users who answer for what belongs to a repository or an owner, who gets mail about it: the user, the owners of the organization, or the site administrators where it belongs to
 * neither; at most so many.
 */
export async function findManagers(
  db: Reader,
  row: { repositoryId: number | null; ownerId: number | null },
  most: number,
): Promise<number[]> {
  const ownerId =
    row.repositoryId === null
      ? sql`${row.ownerId}::bigint`
      : sql`(select ${repository.ownerId} from ${repository} where ${repository.id} = ${row.repositoryId})`;
  const ownsIt = sql`exists (select from ${teamMember} join ${team} on ${team.id} = ${teamMember.teamId}
    where ${teamMember.userId} = ${account.ownerId} and ${team.organizationId} = ${ownerId} and ${team.mode} = ${accessModes.owner})`;
  const isOfInstance = row.repositoryId === null && row.ownerId === null;
  const rows = await db
    .select({ id: account.ownerId })
    .from(account)
    .where(
      and(
        account.active,
        sql`not ${account.suspended}`,
        isOfInstance ? account.isAdmin : or(sql`${account.ownerId} = ${ownerId}`, ownsIt),
      ),
    )
    .orderBy(asc(account.ownerId))
    .limit(most);
  return rows.map(({ id }) => id);
}
