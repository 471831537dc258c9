import { and, asc, count, eq, getTableColumns, isNull, or, sql } from "drizzle-orm";
import type { Reader, Transaction } from "../../../db/client.ts";
import { preparedByShape } from "../../../db/prepared-by-shape.ts";
import { reaction } from "../../../db/schema/comments.ts";
import { owner } from "../../../db/schema/owners.ts";
import type { OwnerRow } from "../../../auth/subject.ts";

export type ReactionRow = typeof reaction.$inferSelect;

/** The target of a reaction: an issue, or one of its comments. */
export interface ReactedTo {
  issueId: number;
  commentId: number | null;
}

const isTo = ({ issueId, commentId }: ReactedTo) =>
  and(
    eq(reaction.issueId, issueId),
    commentId === null ? isNull(reaction.commentId) : eq(reaction.commentId, commentId),
  );

/** A page of reactions, the oldest first, and how many there are. */
export async function listReactions(
  db: Reader,
  to: ReactedTo,
  page: { size: number; offset: number },
): Promise<{ rows: { reaction: ReactionRow; user: OwnerRow }[]; total: number }> {
  const [rows, [counted]] = await Promise.all([
    db
      .select({ reaction: getTableColumns(reaction), user: getTableColumns(owner) })
      .from(reaction)
      .innerJoin(owner, eq(owner.id, reaction.userId))
      .where(isTo(to))
      .orderBy(asc(reaction.createdAt), asc(reaction.id))
      .limit(page.size)
      .offset(page.offset),
    db.select({ total: count() }).from(reaction).where(isTo(to)),
  ]);
  return { rows, total: counted?.total ?? 0 };
}

/** Adds a reaction. `added` is false where the user had it already. */
export async function insertReaction(
  tx: Transaction,
  to: ReactedTo,
  userId: number,
  content: string,
): Promise<{ reaction: ReactionRow; added: boolean }> {
  const [row] = await tx
    .insert(reaction)
    .values({ ...to, userId, content })
    .onConflictDoNothing()
    .returning();
  if (row !== undefined) {
    return { reaction: row, added: true };
  }
  const [known] = await tx
    .select()
    .from(reaction)
    .where(and(isTo(to), eq(reaction.userId, userId), eq(reaction.content, content)));
  if (known === undefined) {
    throw new Error("A reaction was there and is gone, though its issue is locked");
  }
  return { reaction: known, added: false };
}

/** Takes a reaction away, if there is one. */
export async function deleteReaction(tx: Transaction, to: ReactedTo, userId: number, content: string): Promise<void> {
  await tx.delete(reaction).where(and(isTo(to), eq(reaction.userId, userId), eq(reaction.content, content)));
}

/** A reaction to one text, with how many gave it. */
export interface CountedReaction {
  /** null: to the issue itself. */
  commentId: number | null;
  content: string;
  count: number;
  /** Whether the viewer gave it. */
  mine: boolean;
}

const countedOf = preparedByShape((db: Reader) =>
  db
    .select({
      commentId: reaction.commentId,
      content: reaction.content,
      count: count(),
      mine: sql<boolean>`coalesce(bool_or(${reaction.userId} = ${sql.placeholder("viewerId")}::bigint), false)`,
    })
    .from(reaction)
    .where(
      and(
        eq(reaction.issueId, sql.placeholder("issueId")),
        or(isNull(reaction.commentId), sql`${reaction.commentId} = any(${sql.placeholder("commentIds")}::bigint[])`),
      ),
    )
    .groupBy(reaction.commentId, reaction.content)
    .orderBy(sql`min(${reaction.id})`)
    .prepare("count_reactions"),
);

/** Counts the reactions to an issue and to these comments of it, by text and reaction, in the order in which they were first given. */
export async function countReactions(
  db: Reader,
  issueId: number,
  commentIds: readonly number[],
  viewerId: number | null,
): Promise<CountedReaction[]> {
  return countedOf(db, null).execute({ issueId, commentIds: [...commentIds], viewerId });
}
