import { and, asc, count, eq, sql } from "drizzle-orm";
import type { Reader, Transaction } from "../../db/client.ts";
import { attachment, release } from "../../db/schema/releases.ts";

export type AttachmentRow = typeof attachment.$inferSelect;
type AttachmentColumns = Omit<typeof attachment.$inferInsert, "id" | "uuid" | "downloads" | "createdAt">;

export async function insertAttachment(tx: Transaction, columns: AttachmentColumns): Promise<AttachmentRow> {
  const [row] = await tx.insert(attachment).values(columns).returning();
  if (row === undefined) {
    throw new Error("An insert returned no row");
  }
  return row;
}

/** The files of releases, in the order in which they came. */
export async function attachmentsOfReleases(db: Reader, releaseIds: readonly number[]): Promise<AttachmentRow[]> {
  return releaseIds.length === 0
    ? []
    : db
        .select()
        .from(attachment)
        .where(sql`${attachment.releaseId} = any(${sql.param([...releaseIds])}::bigint[])`)
        .orderBy(asc(attachment.id));
}

export async function countOfRelease(db: Reader, releaseId: number): Promise<number> {
  const [row] = await db.select({ value: count() }).from(attachment).where(eq(attachment.releaseId, releaseId));
  return row?.value ?? 0;
}

/** A file of a release; null when there is none. */
export async function findReleaseAttachment(
  db: Reader,
  repositoryId: number,
  releaseId: number,
  id: number,
): Promise<AttachmentRow | null> {
  const [row] = await db
    .select()
    .from(attachment)
    .where(and(eq(attachment.id, id), eq(attachment.releaseId, releaseId), eq(attachment.repositoryId, repositoryId)));
  return row ?? null;
}

/** The first file of this name of a release that is no draft, by the release's tag; null when there is none. */
export async function findPublishedAttachment(
  db: Reader,
  repositoryId: number,
  tag: string,
  name: string,
): Promise<AttachmentRow | null> {
  const [row] = await db
    .select({ attachment })
    .from(release)
    .innerJoin(attachment, eq(attachment.releaseId, release.id))
    .where(
      and(
        eq(release.repositoryId, repositoryId),
        eq(release.tagName, tag),
        eq(release.draft, false),
        eq(attachment.name, name),
      ),
    )
    .orderBy(asc(attachment.id))
    .limit(1);
  return row?.attachment ?? null;
}

/** A file by its UUID, and whether what it is attached to is a draft; null when there is none. */
export async function findAttachmentByUuid(
  db: Reader,
  uuid: string,
): Promise<{ attachment: AttachmentRow; draft: boolean } | null> {
  const [row] = await db
    .select({ attachment, draft: release.draft })
    .from(attachment)
    .innerJoin(release, eq(release.id, attachment.releaseId))
    .where(sql`${attachment.uuid} = ${uuid}::uuid`);
  return row ?? null;
}

/** Writes the columns; answers the whole row. */
export async function updateAttachment(
  tx: Transaction,
  id: number,
  columns: Pick<AttachmentColumns, "name" | "externalUrl">,
): Promise<AttachmentRow> {
  const [row] = await tx.update(attachment).set(columns).where(eq(attachment.id, id)).returning();
  if (row === undefined) {
    throw new Error("An update returned no row");
  }
  return row;
}

export async function deleteAttachmentRow(tx: Transaction, id: number): Promise<void> {
  await tx.delete(attachment).where(eq(attachment.id, id));
}

/** Adds to the numbers of downloads. The rows are locked in the order of their ids. */
export async function addDownloads(tx: Transaction, counts: ReadonlyMap<number, number>): Promise<void> {
  const ids = sql.param([...counts.keys()]);
  const added = sql.param([...counts.values()]);
  await tx.execute(sql`
    with locked as (select id from ${attachment} where id = any(${ids}::bigint[]) order by id for no key update)
    update ${attachment} set downloads = downloads + made.count
    from unnest(${ids}::bigint[], ${added}::bigint[]) as made (id, count) join locked on locked.id = made.id
    where ${attachment.id} = made.id`);
}
