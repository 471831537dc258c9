import { and, asc, eq, or, sql } from "drizzle-orm";
import type { Reader } from "../../db/client.ts";
import { hook } from "../../db/schema/hooks.ts";
import { accessModes, account, owner, team, teamMember } from "../../db/schema/owners.ts";
import { repository } from "../../db/schema/repositories.ts";
import type { HookRow } from "./queries.ts";

/** The users who answer for a hook: its user, the owners of its organization, or the site administrators; at most so many. */
export async function findHookManagers(db: Reader, row: HookRow, most: number): Promise<number[]> {
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

/** What a mail about a hook names: where it leads, and whose it is. */
export async function findHookNames(db: Reader, id: number): Promise<{ url: string; place: string } | null> {
  const holder = sql`(select ${owner.name} from ${owner} where ${owner.id} = ${hook.ownerId})`;
  const whole = sql`(select ${owner.name} || '/' || ${repository.name} from ${repository}
    join ${owner} on ${owner.id} = ${repository.ownerId} where ${repository.id} = ${hook.repositoryId})`;
  const [row] = await db
    .select({ url: hook.url, place: sql<string>`coalesce(${holder}, ${whole}, 'this server')` })
    .from(hook)
    .where(eq(hook.id, id));
  return row ?? null;
}
