import { and, eq, sql } from "drizzle-orm";
import type { Reader, Transaction } from "../../../db/client.ts";
import { comment } from "../../../db/schema/comments.ts";
import { issue } from "../../../db/schema/issues.ts";
import { owner } from "../../../db/schema/owners.ts";
import { review } from "../../../db/schema/pulls.ts";
import { issueColumns, type IssueRow } from "../issues/queries.ts";

/** Whether an issue was opened, or one of its comments was written, by the transaction. */
export async function isTextOfNow(
  tx: Transaction,
  issueId: number,
  { comments }: { comments: boolean },
): Promise<boolean> {
  const isCommented = sql`exists (select 1 from ${comment}
    where ${comment.issueId} = ${issueId} and ${comment.createdAt} = now() and ${comment.kind} = 'comment')`;
  const [row] = await tx
    .select({ found: sql<boolean>`(${issue.createdAt} = now() or (${comments}::boolean and ${isCommented}))` })
    .from(issue)
    .where(eq(issue.id, issueId));
  return row?.found === true;
}

/** An issue, and the text that is new where there is one; null when one of them is gone. */
export async function findNews(
  db: Reader,
  {
    about,
    issueId,
    commentId,
    reviewId,
  }: { about: string; issueId: number; commentId: number | null; reviewId: number | null },
): Promise<{ issue: IssueRow; text: string } | null> {
  const [row] = await db.select(issueColumns).from(issue).where(eq(issue.id, issueId));
  if (row === undefined) {
    return null;
  }
  if (commentId === null && reviewId === null) {
    return { issue: row, text: about === "opened" ? row.body : "" };
  }
  const [found] =
    reviewId === null
      ? await db
          .select({ body: comment.body })
          .from(comment)
          .where(and(eq(comment.id, commentId ?? 0), eq(comment.issueId, issueId)))
      : await db
          .select({ body: review.body })
          .from(review)
          .where(and(eq(review.id, reviewId), eq(review.pullId, issueId)));
  return found === undefined ? null : { issue: row, text: found.body };
}

/** Whether an issue and a user are there. */
export async function areThere(tx: Transaction, issueId: number, userId: number): Promise<boolean> {
  const [row] = await tx
    .select({ id: issue.id })
    .from(issue)
    .innerJoin(owner, eq(owner.id, userId))
    .where(eq(issue.id, issueId));
  return row !== undefined;
}
