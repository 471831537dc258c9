import { and, asc, eq, getTableColumns, max, or, sql } from "drizzle-orm";
import type { OwnerRow } from "../../../auth/subject.ts";
import type { Viewer } from "../../../auth/viewer-of.ts";
import type { Reader, Transaction } from "../../../db/client.ts";
import { comment, reviewComment } from "../../../db/schema/comments.ts";
import { insertEntry, knownUsers, type CommentRow } from "../comments/queries.ts";

export type LinePlaceRow = typeof reviewComment.$inferSelect;

/** A comment on a line: the text, and where it is. */
export interface LineComment {
  comment: CommentRow;
  place: LinePlaceRow;
}

/** A comment on a line with all that is shown of it. Who is null is gone, or unknown to the viewer; or nobody resolved it. */
export interface FoundLineComment extends LineComment {
  author: OwnerRow | null;
  resolver: OwnerRow | null;
}

/** Where a new comment is, as the head was that it was made on. */
export interface NewPlace {
  path: string;
  side: "old" | "new";
  line: number;
  /** So many lines before it belong to it. */
  extraLines: number;
  /** The commit whose file has the line: of the old side the merge base. */
  commitOid: Uint8Array;
  /** The head. */
  originalCommitOid: Uint8Array;
  /** `line` and `extraLines` there. */
  originalLine: number;
  originalExtraLines: number;
  diffHunk: string;
  /** The line is gone from the head already. */
  invalidated: boolean;
  replyTo: number | null;
}

interface NewText {
  repositoryId: number;
  issueId: number;
  reviewId: number;
  authorId: number | null;
  /** The author elsewhere, if the comment was brought from there. */
  originalAuthor?: string;
  originalAuthorId?: number;
  body: string;
  byGuest?: boolean;
  pending: boolean;
  /** Unset: now. */
  createdAt?: Date;
}

const columns = { comment: getTableColumns(comment), place: getTableColumns(reviewComment) };

/** Comments of a review that are not pending, or the viewer's own. */
const known = (userId: number | null) =>
  userId === null ? eq(comment.pending, false) : or(eq(comment.pending, false), eq(comment.authorId, userId));

export async function insertLineComment(tx: Transaction, text: NewText, place: NewPlace): Promise<LineComment> {
  const row = await insertEntry(tx, { ...text, kind: "code" });
  const [placed] = await tx
    .insert(reviewComment)
    .values({ ...place, commentId: row.id })
    .returning();
  if (placed === undefined) {
    throw new Error("An insert returned no row");
  }
  return { comment: row, place: placed };
}

/** The comments of a review, in the order of files and lines. */
export async function listLineComments(db: Reader, reviewId: number, userId: number | null): Promise<LineComment[]> {
  return db
    .select(columns)
    .from(comment)
    .innerJoin(reviewComment, eq(reviewComment.commentId, comment.id))
    .where(and(eq(comment.reviewId, reviewId), eq(comment.kind, "code"), known(userId)))
    .orderBy(asc(reviewComment.path), asc(reviewComment.line), asc(comment.id));
}

/** The places of these comments on lines, by the id of the comment. */
export async function findLinePlaces(db: Reader, commentIds: readonly number[]): Promise<Map<number, LinePlaceRow>> {
  const rows =
    commentIds.length === 0
      ? []
      : await db
          .select()
          .from(reviewComment)
          .where(sql`${reviewComment.commentId} = any(${sql.param([...commentIds])}::bigint[])`);
  return new Map(rows.map((row) => [row.commentId, row]));
}

/** A comment on a line of a pull request of a repository, by its id; null when there is none that the user may know of. */
export async function findLineComment(
  db: Reader,
  repositoryId: number,
  id: number,
  userId: number | null,
): Promise<LineComment | null> {
  const [row] = await db
    .select(columns)
    .from(comment)
    .innerJoin(reviewComment, eq(reviewComment.commentId, comment.id))
    .where(and(eq(comment.id, id), eq(comment.repositoryId, repositoryId), eq(comment.kind, "code"), known(userId)));
  return row ?? null;
}

/** The most comments of a pull request that are read for its pages. */
const mostOfPull = 5000;

/** The comments on lines of a pull request that the user may know of, the oldest first. */
export async function listPullLineComments(db: Reader, pullId: number, userId: number | null): Promise<LineComment[]> {
  return db
    .select(columns)
    .from(comment)
    .innerJoin(reviewComment, eq(reviewComment.commentId, comment.id))
    .where(and(eq(comment.issueId, pullId), eq(comment.kind, "code"), known(userId)))
    .orderBy(asc(comment.id))
    .limit(mostOfPull);
}

/** Those of these comments on lines of a pull request that everybody may read. */
export async function findLineComments(db: Reader, pullId: number, ids: readonly number[]): Promise<LineComment[]> {
  return db
    .select(columns)
    .from(comment)
    .innerJoin(reviewComment, eq(reviewComment.commentId, comment.id))
    .where(
      and(
        eq(comment.issueId, pullId),
        eq(comment.kind, "code"),
        eq(comment.pending, false),
        sql`${comment.id} = any(${sql.param([...ids])}::bigint[])`,
      ),
    );
}

/** Adds to comments of one repository what is shown of them. */
export async function completeLineComments(
  db: Reader,
  viewer: Viewer,
  rows: readonly LineComment[],
): Promise<FoundLineComment[]> {
  const users = await knownUsers(
    db,
    viewer,
    rows.flatMap(({ comment: { authorId }, place: { resolverId } }) => [authorId, resolverId]),
  );
  return rows.map((row) => ({
    ...row,
    author: users.get(row.comment.authorId ?? 0) ?? null,
    resolver: users.get(row.place.resolverId ?? 0) ?? null,
  }));
}

/** Shows the comments of a review that was submitted. Returns them. */
export async function publishLineComments(tx: Transaction, reviewId: number): Promise<CommentRow[]> {
  return tx
    .update(comment)
    .set({ pending: false, createdAt: sql`now()`, updatedAt: sql`now()` })
    .where(and(eq(comment.reviewId, reviewId), comment.pending))
    .returning();
}

/** The comment on a line that a review got last. */
export async function lastLineComment(tx: Transaction, reviewId: number): Promise<number | null> {
  const [row] = await tx
    .select({ id: max(comment.id) })
    .from(comment)
    .where(and(eq(comment.reviewId, reviewId), eq(comment.kind, "code")));
  return row?.id ?? null;
}

/** Lets the next comment of a conversation begin it, where its first one goes. */
export async function passConversationOn(tx: Transaction, firstId: number): Promise<void> {
  await tx.execute(sql`update ${reviewComment} set reply_to = nullif(heir.id, ${reviewComment.commentId})
    from (select min(${reviewComment.commentId}) as id from ${reviewComment} where ${reviewComment.replyTo} = ${firstId}) as heir
    where ${reviewComment.replyTo} = ${firstId}`);
}

/** Writes another text into a comment that nobody else has seen. */
export async function updateDraft(tx: Transaction, id: number, body: string): Promise<void> {
  await tx
    .update(comment)
    .set({ body, contentVersion: sql`${comment.contentVersion} + 1`, updatedAt: sql`now()` })
    .where(eq(comment.id, id));
}

export async function countLineComments(tx: Transaction, reviewId: number): Promise<number> {
  return tx.$count(comment, and(eq(comment.reviewId, reviewId), eq(comment.kind, "code")));
}

/** Says who resolved a conversation (null: it is open again): that of the first comment and of its replies. */
export async function resolveConversation(tx: Transaction, firstId: number, resolverId: number | null): Promise<void> {
  await tx
    .update(reviewComment)
    .set({ resolverId, resolvedAt: resolverId === null ? null : sql`now()` })
    .where(or(eq(reviewComment.commentId, firstId), eq(reviewComment.replyTo, firstId)));
}

/** The comments of a pull request whose line was worked out for other commits than these, or was gone. */
export async function staleLineComments(
  db: Reader,
  pullId: number,
  { head, base }: { head: Uint8Array; base: Uint8Array },
): Promise<LineComment[]> {
  return db
    .select(columns)
    .from(comment)
    .innerJoin(reviewComment, eq(reviewComment.commentId, comment.id))
    .where(
      and(
        eq(comment.issueId, pullId),
        eq(comment.kind, "code"),
        sql`(${reviewComment.invalidated} or ${reviewComment.commitOid} <> case when ${reviewComment.side} = 'old' then ${base} else ${head} end)`,
      ),
    )
    .orderBy(asc(comment.id));
}

/** Where comments are now; null: their line is gone, and they stay where they were last. */
export async function moveLineComments(
  tx: Transaction,
  moves: readonly {
    id: number;
    place: { path: string; line: number; extraLines: number; commit: string } | null;
  }[],
): Promise<void> {
  if (moves.length === 0) {
    return;
  }
  const rows = moves.map(({ id, place }) => ({
    id,
    ...(place ?? { path: null, line: null, extraLines: null, commit: null }),
  }));
  await tx.execute(sql`update ${reviewComment} set
      path = coalesce(moved.path, ${reviewComment.path}), line = coalesce(moved.line, ${reviewComment.line}),
      extra_lines = coalesce(moved."extraLines", ${reviewComment.extraLines}),
      commit_oid = coalesce(decode(moved.commit, 'hex'), ${reviewComment.commitOid}), invalidated = moved.commit is null
    from json_to_recordset(${JSON.stringify(rows)}::json) as moved (id bigint, path text, line integer, "extraLines" integer, commit text)
    where ${reviewComment.commentId} = moved.id`);
}
