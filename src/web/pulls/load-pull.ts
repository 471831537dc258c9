import type { RepositoryAccess } from "../../auth/subject.ts";
import { accessModes } from "../../db/schema/owners.ts";
import { findVisibleRepositories } from "../../domain/repos/forks/queries.ts";
import { listLatestStatuses, type ShownStatus } from "../../domain/repos/statuses/queries.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import type { IssueRow } from "../../domain/work/issues/queries.ts";
import { findScheduled, type ScheduledMerge } from "../../domain/work/merges/auto-merge-queries.ts";
import { readMergeProspect, type MergeProspect } from "../../domain/work/merges/merge-prospect.ts";
import { findPullById, findTip, type PullRow } from "../../domain/work/pulls/queries.ts";
import { completeReviews, listReviews, type FoundReview } from "../../domain/work/reviews/queries.ts";
import { reads } from "../frame/subject-tabs.ts";
import { offers } from "../offers.ts";
import { movesPulls } from "../pages.ts";
import type { Visit } from "../visit.ts";

/** What the pages of a pull request show beside its conversation. */
export interface LoadedPull {
  readonly pull: PullRow;
  readonly reviews: readonly FoundReview[];
  /** The latest status of each context of the head, the newest first, and how many contexts there are. */
  readonly checks: { readonly rows: readonly ShownStatus[]; readonly total: number };
}

/** What the merge box shows besides. */
export interface LoadedMerge {
  readonly scheduled: ScheduledMerge | null;
  /** null: it is not open. */
  readonly prospect: MergeProspect | null;
  /** The repository that it is from; null: gone, or unknown to the visitor. */
  readonly head: RepositoryAccess | null;
  /** The commit of the branch that it is from; null: the branch is gone, or there never was one. */
  readonly headTip: string | null;
}

const manyReviews = { size: 200, offset: 0 };
const manyChecks = { size: 100, offset: 0 };

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
  const [checks, listed] = await Promise.all([
    listLatestStatuses(db, visit, { repositoryId: access.repository.id, oid: pull.headOid }, manyChecks),
    listReviews(db, issue.id, visit.actor?.id ?? null, manyReviews),
  ]);
  const reviews = await completeReviews(db, visit, listed.rows, access.mode >= accessModes.admin);
  return { pull, checks, reviews };
}

/** Reads what a merge of it would meet. */
export async function loadMerge(
  forge: Forge,
  visit: Visit,
  access: RepositoryAccess,
  pull: PullRow,
): Promise<LoadedMerge> {
  const { db } = forge.database;
  const { headRepositoryId, headBranch, flow } = pull;
  const isOwn = headRepositoryId === access.repository.id;
  // Reading the commits for a rule takes time, which is for those who can do something about it.
  const readsFiles = offers(visit, movesPulls);
  const [scheduled, prospect, heads, headTip] = await Promise.all([
    findScheduled(db, pull.issueId),
    pull.open ? readMergeProspect(forge, visit.actor?.id ?? null, access, pull, readsFiles) : null,
    headRepositoryId === null || isOwn ? null : findVisibleRepositories(db, visit, [headRepositoryId]),
    headRepositoryId === null || flow !== "branch" ? null : findTip(db, headRepositoryId, headBranch),
  ]);
  const found = isOwn ? access : (heads?.get(headRepositoryId ?? 0) ?? null);
  const head = found !== null && found.units.code >= accessModes.read ? found : null;
  return { scheduled, prospect, head, headTip: head === null ? null : headTip };
}
