import { and, eq, inArray, sql } from "drizzle-orm";
import type { Reader } from "../../../db/client.ts";
import { review } from "../../../db/schema/pulls.ts";

/** Approvals and requests for changes that stand, and the reviews that somebody was asked for. */
export async function findDecisions(db: Reader, pullId: number) {
  return db
    .select({
      kind: review.kind,
      reviewerId: review.reviewerId,
      teamId: review.teamId,
      official: review.official,
      stale: review.stale,
    })
    .from(review)
    .where(
      and(
        eq(review.pullId, pullId),
        inArray(review.kind, ["approve", "request-changes", "request"]),
        eq(review.dismissed, false),
      ),
    );
}

/** What the reviews of a pull request come to. */
export interface Verdict {
  approvals: number;
  /** Whether somebody asks for changes. */
  wantsChanges: boolean;
  /** Whether a review is asked for and not given. */
  isAwaited: boolean;
}

/** The verdicts of pull requests that have any, by their ids. */
export async function findVerdicts(db: Reader, pullIds: readonly number[]): Promise<Map<number, Verdict>> {
  const rows =
    pullIds.length === 0
      ? []
      : await db
          .select({
            pullId: review.pullId,
            approvals:
              sql<number>`count(distinct ${review.reviewerId}) filter (where ${review.kind} = 'approve')`.mapWith(
                Number,
              ),
            wantsChanges: sql<boolean>`bool_or(${review.kind} = 'request-changes')`,
            isAwaited: sql<boolean>`bool_or(${review.kind} = 'request')`,
          })
          .from(review)
          .where(
            and(
              inArray(review.pullId, [...pullIds]),
              inArray(review.kind, ["approve", "request-changes", "request"]),
              eq(review.dismissed, false),
            ),
          )
          .groupBy(review.pullId);
  return new Map(rows.map(({ pullId, ...verdict }) => [pullId, verdict]));
}
