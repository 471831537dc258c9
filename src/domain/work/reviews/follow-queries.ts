import { and, asc, eq, getTableColumns, inArray, sql } from "drizzle-orm";
import type { OwnerRow, RepositoryRow } from "../../../auth/subject.ts";
import type { Reader, Transaction } from "../../../db/client.ts";
import { issue } from "../../../db/schema/issues.ts";
import { owner } from "../../../db/schema/owners.ts";
import { pull, review } from "../../../db/schema/pulls.ts";
import { repository } from "../../../db/schema/repositories.ts";
import { issueColumns } from "../issues/queries.ts";
import type { ReviewedPull, ReviewRow } from "./queries.ts";

/** A pull request with the repository that it is in. */
export interface PullToFollow extends ReviewedPull {
  repository: RepositoryRow;
  owner: OwnerRow;
}

/** Finds a pull request by the id of its issue, without a permission check; null if it is gone. */
export async function findPullToFollow(db: Reader, issueId: number): Promise<PullToFollow | null> {
  const [row] = await db
    .select({
      issue: issueColumns,
      pull: getTableColumns(pull),
      repository: getTableColumns(repository),
      owner: getTableColumns(owner),
    })
    .from(issue)
    .innerJoin(pull, eq(pull.issueId, issue.id))
    .innerJoin(repository, eq(repository.id, issue.repositoryId))
    .innerJoin(owner, eq(owner.id, repository.ownerId))
    .where(eq(issue.id, issueId));
  return row ?? null;
}

const submitted = inArray(review.kind, ["comment", "approve", "request-changes", "pending"]);

/** Reviews of another head than this one are stale, and those of this one are not. */
export async function markStale(tx: Transaction, pullId: number, head: Uint8Array): Promise<void> {
  await tx
    .update(review)
    .set({ stale: sql`${review.commitOid} is distinct from ${head}` })
    .where(
      and(eq(review.pullId, pullId), submitted, sql`${review.stale} <> (${review.commitOid} is distinct from ${head})`),
    );
}

/** The oldest first. */
export async function listStaleReviews(db: Reader, pullId: number): Promise<ReviewRow[]> {
  return db
    .select()
    .from(review)
    .where(and(eq(review.pullId, pullId), submitted, review.stale))
    .orderBy(asc(review.id));
}

/** Marks reviews of the same changes as the head. */
export async function markFresh(tx: Transaction, pullId: number, ids: readonly number[]): Promise<void> {
  await tx
    .update(review)
    .set({ stale: false })
    .where(and(eq(review.pullId, pullId), inArray(review.id, [...ids])));
}
