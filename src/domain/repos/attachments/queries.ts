import { and, asc, count, eq, getTableColumns, isNull, sql } from "drizzle-orm";
import type { Reader, Transaction } from "../../../db/client.ts";
import { preparedByShape } from "../../../db/prepared-by-shape.ts";
import { issue } from "../../../db/schema/issues.ts";
import { attachment, release } from "../../../db/schema/releases.ts";

export type AttachmentRow = typeof attachment.$inferSelect;
export type AttachmentColumns = Omit<typeof attachment.$inferInsert, "id" | "uuid" | "downloads">;

export async function insertAttachment(tx: Transaction, columns: AttachmentColumns): Promise<AttachmentRow> {
  const [row] = await tx.insert(attachment).values(columns).returning();
  if (row === undefined) {
    throw new Error("An insert returned no row");
  }
  return row;
}

/** So many files a list of releases has. */
const mostOfReleases = 5000;

/**
 * The files of releases, in the order of these and of each in the order in which they came: the first `most` of them, so that a list of releases
 * with thousands of files each stays an answer that can be sent.
 */
export async function attachmentsOfReleases(
  db: Reader,
  releaseIds: readonly number[],
  most = mostOfReleases,
): Promise<AttachmentRow[]> {
  if (releaseIds.length === 0) {
    return [];
  }
  const rows = await db
    .select(getTableColumns(attachment))
    .from(sql`unnest(${sql.param([...releaseIds])}::bigint[]) with ordinality as wanted(id, place)`)
    .innerJoin(attachment, sql`${attachment.releaseId} = wanted.id`)
    .orderBy(sql`wanted.place`, asc(attachment.id))
    // One release is shown whole, however many files the operator lets it have.
    .limit(releaseIds.length === 1 ? Number.MAX_SAFE_INTEGER : most);
  return rows;
}

export async function countOfRelease(db: Reader, releaseId: number): Promise<number> {
  const [row] = await db.select({ value: count() }).from(attachment).where(eq(attachment.releaseId, releaseId));
  return row?.value ?? 0;
}

/** The place of a file: an issue, or one of its comments. */
export interface OnIssue {
  issueId: number;
  commentId: number | null;
}

/** It belongs to nothing yet. */
const isLoose = and(isNull(attachment.releaseId), isNull(attachment.issueId));

const isOn = ({ issueId, commentId }: OnIssue) =>
  and(
    eq(attachment.issueId, issueId),
    commentId === null ? isNull(attachment.commentId) : eq(attachment.commentId, commentId),
  );

/** How many files of a user wait for a text. */
export async function countLoose(db: Reader, uploaderId: number): Promise<number> {
  const [row] = await db
    .select({ value: count() })
    .from(attachment)
    .where(and(eq(attachment.uploaderId, uploaderId), isLoose));
  return row?.value ?? 0;
}

/** Gives those of a user's waiting files that have these UUIDs to an issue or comment of their repository. Returns how many. */
export async function adoptAttachments(
  tx: Transaction,
  { issueId, commentId }: OnIssue,
  uploaderId: number,
  uuids: readonly string[],
): Promise<number> {
  const rows = await tx
    .update(attachment)
    .set({ issueId, commentId })
    .where(
      and(
        sql`${attachment.uuid} = any(${sql.param([...uuids])}::uuid[])`,
        eq(attachment.uploaderId, uploaderId),
        isLoose,
        sql`${attachment.repositoryId} = (select ${issue.repositoryId} from ${issue} where ${issue.id} = ${issueId})`,
      ),
    )
    .returning({ id: attachment.id });
  return rows.length;
}

/** Deletes files that waited for a text for a day. */
export async function deleteOldLoose(tx: Transaction): Promise<void> {
  await tx.delete(attachment).where(and(isLoose, sql`${attachment.createdAt} < now() - interval '1 day'`));
}

/** The files of issues, without those of their comments, in the order in which they came. */
export async function attachmentsOfIssues(db: Reader, issueIds: readonly number[]): Promise<AttachmentRow[]> {
  return issueIds.length === 0
    ? []
    : db
        .select()
        .from(attachment)
        .where(
          and(sql`${attachment.issueId} = any(${sql.param([...issueIds])}::bigint[])`, isNull(attachment.commentId)),
        )
        .orderBy(asc(attachment.id));
}

const ofComments = preparedByShape((db: Reader) =>
  db
    .select()
    .from(attachment)
    .where(sql`${attachment.commentId} = any(${sql.placeholder("commentIds")}::bigint[])`)
    .orderBy(asc(attachment.id))
    .prepare("files_of_comments"),
);

/** Returns the files of comments. */
export async function attachmentsOfComments(db: Reader, commentIds: readonly number[]): Promise<AttachmentRow[]> {
  return commentIds.length === 0 ? [] : ofComments(db, null).execute({ commentIds: [...commentIds] });
}

export async function countOfIssue(db: Reader, on: OnIssue): Promise<number> {
  const [row] = await db.select({ value: count() }).from(attachment).where(isOn(on));
  return row?.value ?? 0;
}

/** A file of an issue or a comment; null when there is none. */
export async function findIssueAttachment(db: Reader, on: OnIssue, id: number): Promise<AttachmentRow | null> {
  const [row] = await db
    .select()
    .from(attachment)
    .where(and(eq(attachment.id, id), isOn(on)));
  return row ?? null;
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

/** A file by its UUID, what it is attached to (`unit` null: it waits for a text), and whether that is a draft; null when there is none. */
export async function findAttachmentByUuid(
  db: Reader,
  uuid: string,
): Promise<{ attachment: AttachmentRow; unit: "releases" | "issues" | "pulls" | null; draft: boolean } | null> {
  const [row] = await db
    .select({ attachment, draft: release.draft, isPull: issue.isPull })
    .from(attachment)
    .leftJoin(release, eq(release.id, attachment.releaseId))
    .leftJoin(issue, eq(issue.id, attachment.issueId))
    .where(sql`${attachment.uuid} = ${uuid}::uuid`);
  if (row === undefined) {
    return null;
  }
  const { releaseId, issueId } = row.attachment;
  const unit = releaseId !== null ? "releases" : issueId === null ? null : row.isPull === true ? "pulls" : "issues";
  return { attachment: row.attachment, unit, draft: row.draft === true };
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
