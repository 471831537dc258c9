import { and, eq, inArray } from "drizzle-orm";
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
