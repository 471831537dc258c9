import { and, asc, eq, gte, lt, sql } from "drizzle-orm";
import type { Reader, Transaction } from "../../../db/client.ts";
import { owner } from "../../../db/schema/owners.ts";
import { ownerUsage, usageDay } from "../../../db/schema/quota.ts";
import { noUsage, type Usage } from "./subjects.ts";

/** So many days of use are kept. */
export const mostDays = 366;

/** The use of an owner on a day, with the share of guests, and without wikis and pictures. */
export interface UsedOnDay {
  /** In UTC, as in 2026-11-23. */
  readonly day: string;
  readonly usage: Usage;
}

const today = sql`(now() at time zone 'utc')::date`;

/**
 * Writes down what every owner uses today, again where that has changed since; owners that use nothing, and did not on the
 * day before either, have no row. Deletes the days that are too old. Answers how many rows were written.
 */
export async function recordUsageOfToday(tx: Transaction): Promise<number> {
  await tx.delete(usageDay).where(lt(usageDay.day, sql`${today} - ${mostDays}::integer`));
  const rows = await tx.execute(sql`
    insert into ${usageDay} as d (owner_id, day, repos_public, repos_private, git_lfs, attachments_issues, attachments_releases, artifacts, packages)
      select u.owner_id, ${today}, u.repos_public + u.guests_public, u.repos_private + u.guests_private, u.git_lfs + u.guests_lfs,
        u.attachments_issues + u.guests_issues, u.attachments_releases, u.artifacts, u.packages
      from ${ownerUsage} u join ${owner} o on o.id = u.owner_id
      where u.repos_public + u.repos_private + u.git_lfs + u.attachments_issues + u.attachments_releases + u.artifacts + u.packages
          + u.guests_public + u.guests_private + u.guests_lfs + u.guests_issues > 0
        or exists (select from ${usageDay} y where y.owner_id = u.owner_id and y.day >= ${today} - 1)
    on conflict (owner_id, day) do update set repos_public = excluded.repos_public, repos_private = excluded.repos_private,
      git_lfs = excluded.git_lfs, attachments_issues = excluded.attachments_issues, attachments_releases = excluded.attachments_releases,
      artifacts = excluded.artifacts, packages = excluded.packages
      where (d.repos_public, d.repos_private, d.git_lfs, d.attachments_issues, d.attachments_releases, d.artifacts, d.packages)
        is distinct from (excluded.repos_public, excluded.repos_private, excluded.git_lfs, excluded.attachments_issues,
          excluded.attachments_releases, excluded.artifacts, excluded.packages)
    returning 1`);
  return rows.length;
}

/** The usage of an owner on the last days, the oldest first. A day without a stored count has no entry. */
export async function listUsageDays(db: Reader, ownerId: number, days: number): Promise<UsedOnDay[]> {
  const rows = await db
    .select()
    .from(usageDay)
    .where(and(eq(usageDay.ownerId, ownerId), gte(usageDay.day, sql`${today} - ${days - 1}::integer`)))
    .orderBy(asc(usageDay.day));
  return rows.map((row) => {
    const { ownerId: _, day, ...usage } = row;
    return { day, usage: { ...noUsage, ...usage } };
  });
}
