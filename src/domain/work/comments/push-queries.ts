import { and, asc, eq, sql } from "drizzle-orm";
import type { Reader, Transaction } from "../../../db/client.ts";
import { comment } from "../../../db/schema/comments.ts";

/** A push to a pull request that nobody is shown before it is known what it brought. Oids are hexadecimal. */
interface UndescribedPush {
  id: number;
  oldHead: string;
  newHead: string;
}

const undescribed = and(eq(comment.kind, "pull_push"), eq(comment.pending, true));

/** Lists the pushes of an issue, the oldest first. */
export async function listUndescribedPushes(db: Reader, issueId: number, limit: number): Promise<UndescribedPush[]> {
  const rows = await db
    .select({ id: comment.id, oldHead: comment.oldText, newHead: comment.newText })
    .from(comment)
    .where(and(eq(comment.issueId, issueId), undescribed))
    .orderBy(asc(comment.id))
    .limit(limit);
  return rows.map(({ id, oldHead, newHead }) => ({ id, oldHead: oldHead ?? "", newHead: newHead ?? "" }));
}

/** Shows it; without a body it is as if it had not been. */
export async function describePush(tx: Transaction, id: number, body: string | null): Promise<void> {
  if (body === null) {
    await tx.delete(comment).where(and(eq(comment.id, id), undescribed));
  } else {
    await tx
      .update(comment)
      .set({ body, pending: sql`false` })
      .where(and(eq(comment.id, id), undescribed));
  }
}
