import { sql } from "drizzle-orm";
import type { Reader, Transaction } from "../../../db/client.ts";
import { archiveDownload } from "../../../db/schema/releases.ts";

/** How often the archives of a tag were downloaded. */
export interface ArchiveDownloads {
  zip: number;
  tarGz: number;
}

/** More downloads of the archives of one tag. */
export interface MoreDownloads extends ArchiveDownloads {
  repositoryId: number;
  tag: string;
}

/** Adds to the numbers of downloads, of repositories that are still there. Each tag is there once at most. */
export async function addArchiveDownloads(tx: Transaction, more: readonly MoreDownloads[]): Promise<void> {
  const [ids, tags, zips, tars] = [
    more.map(({ repositoryId }) => repositoryId),
    more.map(({ tag }) => tag),
    more.map(({ zip }) => zip),
    more.map(({ tarGz }) => tarGz),
  ];
  await tx.execute(sql`
    with locked as (select id from repository where id = any(${sql.param(ids)}::bigint[]) order by id for key share)
    insert into ${archiveDownload} (repository_id, tag_name, zip, tar_gz)
    select locked.id, made.tag, made.zip, made.tar_gz
    from unnest(${sql.param(ids)}::bigint[], ${sql.param(tags)}::text[], ${sql.param(zips)}::bigint[], ${sql.param(tars)}::bigint[])
      as made (id, tag, zip, tar_gz) join locked on locked.id = made.id order by locked.id, made.tag
    on conflict (repository_id, tag_name) do update
      set zip = ${archiveDownload.zip} + excluded.zip, tar_gz = ${archiveDownload.tarGz} + excluded.tar_gz`);
}

/** How often the archives of these tags were downloaded; tags of which none was are not there. */
export async function archiveDownloadsOf(
  db: Reader,
  repositoryId: number,
  tags: readonly string[],
): Promise<Map<string, ArchiveDownloads>> {
  if (tags.length === 0) {
    return new Map();
  }
  const rows = await db
    .select()
    .from(archiveDownload)
    .where(
      sql`${archiveDownload.repositoryId} = ${repositoryId} and ${archiveDownload.tagName} = any(${sql.param([...tags])}::text[])`,
    );
  return new Map(rows.map(({ tagName, zip, tarGz }) => [tagName, { zip, tarGz }]));
}

/** Forgets the numbers of tags. */
export async function deleteArchiveDownloads(
  tx: Transaction,
  repositoryId: number,
  tags: readonly string[],
): Promise<void> {
  await tx
    .delete(archiveDownload)
    .where(
      sql`${archiveDownload.repositoryId} = ${repositoryId} and ${archiveDownload.tagName} = any(${sql.param([...tags])}::text[])`,
    );
}
