import type { RepositoryAccess } from "../../auth/subject.ts";
import type { MergeStatus } from "../../domain/git/protections/decide-change.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import type { IssueRow } from "../../domain/work/issues/queries.ts";
import { findScheduled, type ScheduledMerge } from "../../domain/work/merges/auto-merge-queries.ts";
import { latestStatuses } from "../../domain/work/merges/merge-queries.ts";
import { findPullById, type PullRow } from "../../domain/work/pulls/queries.ts";
import { completeReviews, listReviews, type FoundReview } from "../../domain/work/reviews/queries.ts";
import { accessModes } from "../../db/schema/owners.ts";
import { reads } from "../frame/subject-tabs.ts";
import type { Visit } from "../visit.ts";

/** What the page of a pull request shows beside its conversation. */
export interface LoadedPull {
  readonly pull: PullRow;
  /** The latest status of each context of the head. */
  readonly statuses: readonly MergeStatus[];
  readonly scheduled: ScheduledMerge | null;
  readonly reviews: readonly FoundReview[];
}

const manyReviews = { size: 200, offset: 0 };

/** Reads what a pull request proposes; null for a visitor who may not read the code. */
export async function loadPull(
  forge: Forge,
  visit: Visit,
  access: RepositoryAccess,
  issue: IssueRow,
): Promise<LoadedPull | null> {
  const { db } = forge.database;
  const found = reads(visit, "code-of-pulls") ? await findPullById(db, issue.id) : null;
  if (found === null) {
    return null;
  }
  const { pull } = found;
  const [statuses, scheduled, listed] = await Promise.all([
    latestStatuses(db, access.repository.id, pull.headOid),
    findScheduled(db, issue.id),
    listReviews(db, issue.id, visit.actor?.id ?? null, manyReviews),
  ]);
  const reviews = await completeReviews(db, visit, listed.rows, access.mode >= accessModes.admin);
  return { pull, statuses, scheduled, reviews };
}
