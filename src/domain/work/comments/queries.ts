import { and, asc, eq, getTableColumns, sql, type SQL } from "drizzle-orm";
import type { PgColumn, PgTable } from "drizzle-orm/pg-core";
import type { OwnerRow } from "../../../auth/subject.ts";
import type { Viewer } from "../../../auth/viewer-of.ts";
import type { Database, Reader, Transaction } from "../../../db/client.ts";
import { preparedByShape } from "../../../db/prepared-by-shape.ts";
import { comment } from "../../../db/schema/comments.ts";
import { issue, label, milestone } from "../../../db/schema/issues.ts";
import { listTotal } from "../../../db/schema/lists.ts";
import { account } from "../../../db/schema/owners.ts";
import { block } from "../../../db/schema/social.ts";
import { findDetails } from "../issues/find-details-queries.ts";
import { insertFormerContent } from "../issues/edit-queries.ts";
import type { IssueRow } from "../issues/queries.ts";

export type CommentRow = typeof comment.$inferSelect;
export type EntryColumns = Omit<typeof comment.$inferInsert, "id">;

/** The fields of an issue that its comments need. */
export type CommentedIssue = Pick<IssueRow, "id" | "number" | "title" | "isPull" | "authorId" | "lockedAt">;

/** An entry of a timeline with the issue that it belongs to. */
export interface EntryOfIssue {
  comment: CommentRow;
  issue: CommentedIssue;
}

export const issueOfComment = {
  id: issue.id,
  number: issue.number,
  title: issue.title,
  isPull: issue.isPull,
  authorId: issue.authorId,
  lockedAt: issue.lockedAt,
};

/** Entries that were changed in this time. The end is excluded. */
export interface Span {
  since?: Date | undefined;
  before?: Date | undefined;
}

/** The condition of a span that has these ends, with placeholders for them. */
export function withinSpan({ since, before }: { since: boolean; before: boolean }): SQL | undefined {
  return and(
    since ? sql`${comment.updatedAt} >= ${sql.placeholder("since")}::timestamptz` : undefined,
    before ? sql`${comment.updatedAt} < ${sql.placeholder("before")}::timestamptz` : undefined,
  );
}

/** The values of these placeholders. */
export function spanValues({ since, before }: Span) {
  return { since: since?.toISOString(), before: before?.toISOString() };
}

const ifThere = (table: PgTable, column: PgColumn, id: number | null | undefined) =>
  id == null ? null : sql`(select ${column} from ${table} where ${column} = ${id})`;

/** Writes an entry into the timeline of an issue. Whom and what it names may be gone in the same transaction. */
export async function insertEntry(tx: Transaction, columns: EntryColumns): Promise<CommentRow> {
  const { labelId, milestoneId, oldMilestoneId, assigneeId } = columns;
  const [row] = await tx
    .insert(comment)
    .values({
      ...columns,
      labelId: ifThere(label, label.id, labelId),
      milestoneId: ifThere(milestone, milestone.id, milestoneId),
      oldMilestoneId: ifThere(milestone, milestone.id, oldMilestoneId),
      assigneeId: ifThere(account, account.ownerId, assigneeId),
    })
    .returning();
  if (row === undefined) {
    throw new Error("An insert returned no row");
  }
  return row;
}

/** An entry of a timeline of a repository, by its id; null when there is none, or its review is not submitted. `lock`: it stays as it is until the transaction ends. */
export async function findEntry(
  db: Reader,
  repositoryId: number,
  id: number,
  lock = false,
): Promise<EntryOfIssue | null> {
  const query = db
    .select({ comment: getTableColumns(comment), issue: issueOfComment })
    .from(comment)
    .innerJoin(issue, eq(issue.id, comment.issueId))
    .where(and(eq(comment.id, id), eq(comment.repositoryId, repositoryId), eq(comment.pending, false)));
  const [row] = await (lock ? query.for("no key update", { of: comment }) : query);
  return row ?? null;
}

/** Whether a user keeps another away. */
export async function isBlockedBy(db: Reader, blockerId: number, blockedId: number): Promise<boolean> {
  const rows = await db
    .select({ found: sql`1` })
    .from(block)
    .where(and(eq(block.blockerId, blockerId), eq(block.blockedId, blockedId)));
  return rows.length > 0;
}

/** Writes a text, and what it was before. */
export async function updateComment(
  tx: Transaction,
  { id, issueId, repositoryId, byGuest, body: formerBody }: CommentRow,
  { body, writtenAt }: { body: string; writtenAt: Date | null },
  editorId: number | null,
): Promise<CommentRow> {
  await insertFormerContent(tx, { issueId, repositoryId, byGuest, commentId: id, body: formerBody, editorId });
  const [row] = await tx
    .update(comment)
    .set({ body, contentVersion: sql`${comment.contentVersion} + 1`, updatedAt: writtenAt ?? sql`now()` })
    .where(eq(comment.id, id))
    .returning();
  if (row === undefined) {
    throw new Error("An update returned no row");
  }
  return row;
}

export async function deleteEntry(tx: Transaction, id: number): Promise<void> {
  await tx.delete(comment).where(eq(comment.id, id));
}

/** The place of a list's comments: an issue; or a repository, with its issues, its pull requests or both. */
export type CommentList = { issueId: number } | { repositoryId: number; issues: boolean; pulls: boolean };

interface CommentShape {
  of: "issue" | "repository" | "issues" | "pulls";
  since: boolean;
  before: boolean;
}

const commentLists = preparedByShape((db: Database, { of, since, before }: CommentShape) => {
  const where = and(
    // Written out: the plan of a prepared statement knows no values, and so not that the index has them.
    sql`${comment.kind} = 'comment'`,
    of === "issue"
      ? eq(comment.issueId, sql.placeholder("issueId"))
      : eq(comment.repositoryId, sql.placeholder("repositoryId")),
    // No join: it would have the planner read all of them, since it does not know how short a page is.
    of === "issues" || of === "pulls"
      ? sql`(select ${issue.isPull} from ${issue} where ${issue.id} = ${comment.issueId}) = ${sql.raw(String(of === "pulls"))}`
      : undefined,
    withinSpan({ since, before }),
  );
  const page = db
    .select({ id: comment.id })
    .from(comment)
    .where(where)
    .orderBy(asc(comment.createdAt), asc(comment.id))
    .limit(sql.placeholder("size"))
    .offset(sql.placeholder("offset"));
  const counted = db
    .select({ total: sql`count(*)`.mapWith(Number) })
    .from(comment)
    .where(where)
    .prepare("count_comments");
  const classes = of === "issues" ? sql`'{0}'` : of === "pulls" ? sql`'{1}'` : sql`'{0,1}'`;
  const summed = db
    .select({ total: sql`coalesce(sum(${listTotal.count}), 0)`.mapWith(Number) })
    .from(listTotal)
    .where(
      and(
        eq(listTotal.list, "comment"),
        eq(listTotal.ownerId, sql.placeholder("repositoryId")),
        sql`${listTotal.class} = any(${classes}::smallint[])`,
      ),
    )
    .prepare("sum_comments");
  return {
    rows: db
      .select({ comment: getTableColumns(comment), issue: issueOfComment })
      .from(comment)
      .innerJoin(issue, eq(issue.id, comment.issueId))
      .where(sql`${comment.id} = any(array${page})`)
      .orderBy(asc(comment.createdAt), asc(comment.id))
      .prepare("list_comments"),
    total: of === "issue" || since || before ? counted : summed,
  };
});

/**
 * A page of comments, the oldest first, and how many there are. `known`: how many the issue has in all, by its counter.
 */
export async function listComments(
  db: Database,
  of: CommentList,
  span: Span,
  page: { size: number; offset: number },
  known: number | null = null,
): Promise<{ rows: EntryOfIssue[]; total: number }> {
  const kind =
    "issueId" in of
      ? "issue"
      : of.issues && of.pulls
        ? "repository"
        : of.pulls
          ? ("pulls" as const)
          : ("issues" as const);
  const lists = commentLists(db, { of: kind, since: span.since !== undefined, before: span.before !== undefined });
  const values = { ...of, ...spanValues(span), size: page.size, offset: page.offset };
  const isWhole = span.since === undefined && span.before === undefined;
  const [rows, total] = await Promise.all([
    lists.rows.execute(values),
    known !== null && isWhole ? known : lists.total.execute(values).then(([counted]) => counted?.total ?? 0),
  ]);
  return { rows, total };
}

/** The users of these ids of whom the viewer may know. */
export async function knownUsers(
  db: Database,
  viewer: Viewer,
  ids: readonly (number | null)[],
): Promise<Map<number, OwnerRow>> {
  return ids.some((id) => id !== null) ? (await findDetails(db, viewer, { userIds: ids })).users : new Map();
}
