import { sql } from "drizzle-orm";
import type { Reader, Transaction } from "../../db/client.ts";
import { packageDownload, packageVersion } from "../../db/schema/packages.ts";

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
