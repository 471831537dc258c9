import { and, asc, eq, gte, lt, sql } from "drizzle-orm";
import type { Reader, Transaction } from "../../db/client.ts";
import { packageDownload, packageDownloadDay, packageVersion } from "../../db/schema/packages.ts";

/** Adds downloads of versions, by their ids. Of those that are gone nothing is counted. */
export async function addPackageDownloads(tx: Transaction, counts: ReadonlyMap<number, number>): Promise<void> {
  const ids = sql.param([...counts.keys()]);
  const added = sql.param([...counts.values()]);
  // In one order: two processes may count the same versions.
  await tx.execute(sql`
    insert into ${packageDownload} (version_id, count)
    select made.id, made.count from unnest(${ids}::bigint[], ${added}::bigint[]) as made (id, count)
    join ${packageVersion} on ${packageVersion.id} = made.id order by made.id for key share of ${packageVersion}
    on conflict (version_id) do update set count = ${packageDownload}.count + excluded.count`);
  await tx.execute(sql`
    insert into ${packageDownloadDay} (version_id, day, count)
    select made.id, (now() at time zone 'UTC')::date, made.count from unnest(${ids}::bigint[], ${added}::bigint[]) as made (id, count)
    join ${packageDownload} on ${packageDownload.versionId} = made.id order by made.id
    on conflict (version_id, day) do update set count = ${packageDownloadDay}.count + excluded.count`);
}

/** How often the files of a version were downloaded on each day since one (YYYY-MM-DD, UTC), without the days on which they were not. */
export async function listDownloadDays(
  db: Reader,
  versionId: number,
  since: string,
): Promise<{ day: string; count: number }[]> {
  const { day, count } = packageDownloadDay;
  return db
    .select({ day, count })
    .from(packageDownloadDay)
    .where(and(eq(packageDownloadDay.versionId, versionId), gte(day, since)))
    .orderBy(asc(day));
}

/** Forgets the counts of the days before one; the sums stay. */
export async function deleteDownloadDays(tx: Transaction, before: string): Promise<void> {
  await tx.delete(packageDownloadDay).where(lt(packageDownloadDay.day, before));
}

/** How often versions were downloaded, by their ids; those that never were are left out. */
export async function findPackageDownloads(db: Reader, ids: readonly number[]): Promise<Map<number, number>> {
  if (ids.length === 0) {
    return new Map();
  }
  const rows = await db
    .select()
    .from(packageDownload)
    .where(sql`${packageDownload.versionId} = any(${sql.param([...ids])}::bigint[])`);
  return new Map(rows.map(({ versionId, count }) => [versionId, count]));
}
