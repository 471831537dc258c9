import { and, eq, inArray, isNotNull, ne, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import { unitVisibleSql } from "../../../auth/access-sql.ts";
import type { Reader, Transaction } from "../../../db/client.ts";
import { comment } from "../../../db/schema/comments.ts";
import { account, owner, team } from "../../../db/schema/owners.ts";
import { review } from "../../../db/schema/pulls.ts";
import { repository } from "../../../db/schema/repositories.ts";
import type { NamedOwner } from "../../spine/events/names.ts";
import type { ReviewRow } from "./queries.ts";

const asked = alias(owner, "asked");

/** The active users of these names in lower case who may read the pull requests of a repository. */
export async function findReviewers(
  db: Reader,
  repositoryId: number,
  lowerNames: readonly string[],
): Promise<{ id: number; name: string; lowerName: string }[]> {
  if (lowerNames.length === 0) {
    return [];
  }
  const reader = {
    id: sql`${account.ownerId}`,
    isAdmin: sql`${account.isAdmin}`,
    restricted: sql`${account.restricted}`,
  };
  return db
    .select({ id: asked.id, name: asked.name, lowerName: asked.lowerName })
    .from(asked)
    .innerJoin(account, eq(account.ownerId, asked.id))
    .innerJoin(repository, eq(repository.id, repositoryId))
    .innerJoin(owner, eq(owner.id, repository.ownerId))
    .where(
      and(
        inArray(asked.lowerName, [...lowerNames]),
        account.active,
        sql`not ${account.suspended}`,
        unitVisibleSql(reader, "pulls"),
      ),
    );
}

/** Names the requested reviewer for events. */
export async function nameOfAsked(
  tx: Transaction,
  { reviewerId, teamId }: Pick<ReviewRow, "reviewerId" | "teamId">,
): Promise<{ user: NamedOwner | null; team: { id: number; name: string } | null }> {
  const [user] =
    reviewerId === null
      ? []
      : await tx.select({ id: owner.id, name: owner.name }).from(owner).where(eq(owner.id, reviewerId));
  const [ofTeam] =
    teamId === null ? [] : await tx.select({ id: team.id, name: team.name }).from(team).where(eq(team.id, teamId));
  return { user: user ?? null, team: ofTeam ?? null };
}

/** The requests of a pull request that are not given. */
export async function listRequests(tx: Transaction, pullId: number): Promise<ReviewRow[]> {
  return tx
    .select()
    .from(review)
    .where(and(eq(review.pullId, pullId), eq(review.kind, "request")));
}

/** Makes another user the one who made these requests, where `from` made them. null: the server. */
export async function takeOverRequests(
  tx: Transaction,
  requests: readonly ReviewRow[],
  { from, to }: { from: number | null; to: number | null },
): Promise<void> {
  const ids = requests.filter(({ askedById }) => from !== null && askedById === from).map(({ id }) => id);
  if (ids.length > 0) {
    await tx.update(review).set({ askedById: to }).where(inArray(review.id, ids));
  }
}

/**
 * Suspends the approvals of a user whose review is requested again, until they review. Their requests for changes still
 * count: otherwise the author of a pull request could remove them with a request.
 */
export async function suspendApprovals(tx: Transaction, pullId: number, userId: number): Promise<void> {
  await tx
    .update(review)
    .set({ official: false })
    .where(and(eq(review.pullId, pullId), eq(review.reviewerId, userId), eq(review.kind, "approve"), review.official));
}

/** Whether a migration brought a review. */
export async function isBrought(tx: Transaction, reviewId: number): Promise<boolean> {
  const rows = await tx
    .select({ id: comment.id })
    .from(comment)
    .where(and(eq(comment.reviewId, reviewId), eq(comment.kind, "review"), ne(comment.originalAuthor, "")))
    .limit(1);
  return rows.length > 0;
}

/** Finds the users who have reviewed a pull request. */
export async function findGivenReviewers(tx: Transaction, pullId: number): Promise<ReadonlySet<number>> {
  const rows = await tx
    .selectDistinct({ id: review.reviewerId })
    .from(review)
    .where(
      and(
        eq(review.pullId, pullId),
        isNotNull(review.reviewerId),
        inArray(review.kind, ["comment", "approve", "request-changes"]),
      ),
    );
  return new Set(rows.flatMap(({ id }) => id ?? []));
}
