import { and, asc, count, eq, getTableColumns, inArray, ne, or, sql, type SQL } from "drizzle-orm";
import type { Viewer } from "../../../auth/viewer-of.ts";
import type { OwnerRow } from "../../../auth/subject.ts";
import type { Reader, Transaction } from "../../../db/client.ts";
import { preparedByShape } from "../../../db/prepared-by-shape.ts";
import { comment } from "../../../db/schema/comments.ts";
import { issue } from "../../../db/schema/issues.ts";
import { teamMember } from "../../../db/schema/owners.ts";
import { pull, review, type ReviewKind } from "../../../db/schema/pulls.ts";
import { knownUsers } from "../comments/queries.ts";
import { issueColumns, type IssueRow } from "../issues/queries.ts";
import { findKnownTeams } from "../../identity/teams/known-queries.ts";
import type { Team } from "../../identity/teams/queries.ts";

export type ReviewRow = typeof review.$inferSelect;
type PullRow = typeof pull.$inferSelect;

/** A pull request: its row, and that of its issue. */
export interface ReviewedPull {
  issue: IssueRow;
  pull: PullRow;
}

/** A review with all that is shown of it. */
export interface FoundReview {
  review: ReviewRow;
  /** null: of a team, gone, or unknown to the viewer. */
  reviewer: OwnerRow | null;
  team: Team | null;
  /** Comments on lines. */
  comments: number;
  /** The entry of the timeline that tells of it; null: none does. */
  entryId: number | null;
}

/** A pull request by its number; null when there is none. */
export async function findReviewedPull(db: Reader, repositoryId: number, number: number): Promise<ReviewedPull | null> {
  const [row] = await db
    .select({ issue: issueColumns, pull: getTableColumns(pull) })
    .from(issue)
    .innerJoin(pull, eq(pull.issueId, issue.id))
    .where(and(eq(issue.repositoryId, repositoryId), eq(issue.number, number)));
  return row ?? null;
}

/** Takes the row of a pull request for this transaction, behind its issue's. No push moves its head meanwhile. */
export async function lockPullRow(tx: Transaction, issueId: number): Promise<PullRow | null> {
  const [row] = await tx.select().from(pull).where(eq(pull.issueId, issueId)).for("no key update");
  return row ?? null;
}

/** A pending review is known to its author only. */
const knownTo = (userId: number | null): SQL | undefined =>
  userId === null ? ne(review.kind, "pending") : or(ne(review.kind, "pending"), eq(review.reviewerId, userId));

/** A review that this user may know of; null when there is none. */
export async function findReview(
  db: Reader,
  pullId: number,
  id: number,
  userId: number | null,
): Promise<ReviewRow | null> {
  const [row] = await db
    .select()
    .from(review)
    .where(and(eq(review.id, id), eq(review.pullId, pullId), knownTo(userId)));
  return row ?? null;
}

const reviewsOf = preparedByShape((db: Reader, { isSomebody }: { isSomebody: boolean }) => {
  const known = isSomebody
    ? or(ne(review.kind, "pending"), eq(review.reviewerId, sql.placeholder("userId")))
    : ne(review.kind, "pending");
  const where = and(eq(review.pullId, sql.placeholder("pullId")), known);
  return {
    rows: db
      .select()
      .from(review)
      .where(where)
      .orderBy(asc(review.id))
      .limit(sql.placeholder("size"))
      .offset(sql.placeholder("offset"))
      .prepare("list_reviews"),
    total: db.select({ total: count() }).from(review).where(where).prepare("count_reviews"),
  };
});

/** A page of the reviews of a pull request that this user may know of, the oldest first, and how many there are. */
export async function listReviews(
  db: Reader,
  pullId: number,
  userId: number | null,
  page: { size: number; offset: number },
): Promise<{ rows: ReviewRow[]; total: number }> {
  const { rows, total } = reviewsOf(db, { isSomebody: userId !== null });
  const [found, [counted]] = await Promise.all([
    rows.execute({ pullId, userId, ...page }),
    total.execute({ pullId, userId }),
  ]);
  return { rows: found, total: counted?.total ?? 0 };
}

/** Adds to reviews what is shown of them, in one query for each kind of thing, however many reviews there are. */
export async function completeReviews(
  db: Reader,
  viewer: Viewer,
  rows: readonly ReviewRow[],
  knowsTeams: boolean,
): Promise<FoundReview[]> {
  if (rows.length === 0) {
    return [];
  }
  const ids = rows.map(({ id }) => id);
  const [users, teams, counted] = await Promise.all([
    knownUsers(
      db,
      viewer,
      rows.map(({ reviewerId }) => reviewerId),
    ),
    findKnownTeams(
      db,
      viewer,
      rows.map(({ teamId }) => teamId),
      knowsTeams,
    ),
    db
      .select({
        reviewId: comment.reviewId,
        comments: sql<number>`count(*) filter (where ${comment.kind} = 'code')`.mapWith(Number),
        entryId: sql<number | null>`min(${comment.id}) filter (where ${comment.kind} = 'review')`.mapWith(Number),
      })
      .from(comment)
      .where(inArray(comment.reviewId, ids))
      .groupBy(comment.reviewId),
  ]);
  const countedOf = new Map(counted.map((row) => [row.reviewId, row]));
  return rows.map((row) => ({
    review: row,
    reviewer: users.get(row.reviewerId ?? 0) ?? null,
    team: teams.get(row.teamId ?? 0) ?? null,
    comments: countedOf.get(row.id)?.comments ?? 0,
    entryId: countedOf.get(row.id)?.entryId ?? null,
  }));
}

export async function insertReview(tx: Transaction, columns: typeof review.$inferInsert): Promise<ReviewRow> {
  const [row] = await tx.insert(review).values(columns).returning();
  if (row === undefined) {
    throw new Error("An insert returned no row");
  }
  return row;
}

export async function updateReview(
  tx: Transaction,
  id: number,
  columns: Partial<typeof review.$inferInsert>,
): Promise<ReviewRow> {
  const [row] = await tx
    .update(review)
    .set({ updatedAt: sql`now()`, ...columns })
    .where(eq(review.id, id))
    .returning();
  if (row === undefined) {
    throw new Error("A locked review was gone");
  }
  return row;
}

/** Deletes a review with its comments on lines and its entries of the timeline. */
export async function removeReview(tx: Transaction, id: number): Promise<void> {
  await tx.delete(review).where(eq(review.id, id));
}

/** The review that a user has begun and not submitted. */
export async function findPendingReview(tx: Reader, pullId: number, userId: number): Promise<ReviewRow | null> {
  const [row] = await tx
    .select()
    .from(review)
    .where(and(eq(review.pullId, pullId), eq(review.reviewerId, userId), eq(review.kind, "pending")));
  return row ?? null;
}

/** Approvals and requests for changes: what decides about a merge. */
export const deciding: readonly ReviewKind[] = ["approve", "request-changes"];

/** A decision of somebody takes the place of those that they gave before. */
export async function dismissFormerDecisions(tx: Transaction, pullId: number, userId: number): Promise<void> {
  await tx
    .update(review)
    .set({ dismissed: true, official: false })
    .where(and(eq(review.pullId, pullId), eq(review.reviewerId, userId), inArray(review.kind, [...deciding])));
}

/** Removes what somebody was asked for and has given now; `decides`: what their teams were asked for, too. */
export async function removeGivenRequests(
  tx: Transaction,
  pullId: number,
  userId: number,
  decides: boolean,
): Promise<void> {
  const ofTeams = sql`${review.teamId} in (select ${teamMember.teamId} from ${teamMember} where ${teamMember.userId} = ${userId})`;
  await tx
    .delete(review)
    .where(
      and(
        eq(review.pullId, pullId),
        eq(review.kind, "request"),
        decides ? or(eq(review.reviewerId, userId), ofTeams) : eq(review.reviewerId, userId),
      ),
    );
}

/** Counts comments on lines that everybody may read. */
export async function addReviewComments(tx: Transaction, pullId: number, more: number): Promise<void> {
  if (more !== 0) {
    await tx
      .update(pull)
      .set({ reviewComments: sql`greatest(0, ${pull.reviewComments} + ${more})` })
      .where(eq(pull.issueId, pullId));
  }
}

/** The latest decisions of a user that stand, the latest first. */
export async function standingDecisions(tx: Transaction, pullId: number, userId: number): Promise<ReviewRow[]> {
  return tx
    .select()
    .from(review)
    .where(
      and(
        eq(review.pullId, pullId),
        eq(review.reviewerId, userId),
        inArray(review.kind, [...deciding]),
        eq(review.dismissed, false),
      ),
    )
    .orderBy(sql`${review.id} desc`);
}
