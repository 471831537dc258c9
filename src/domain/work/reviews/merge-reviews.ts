import type { Reader } from "../../../db/client.ts";
import type { MergeState } from "../../git/protections/decide-change.ts";
import type { BranchRule } from "../../git/protections/branch-rules.ts";
import { findOfficialReviewers, findOfficialTeams } from "./official-queries.ts";
import { findDecisions } from "./decision-queries.ts";

/**
 * Evaluates the reviews of a pull request for the present rule of its base branch. A review counts if it was official
 * when it was given and its author is still an official reviewer. The caller holds the lock on the pull request's row.
 * `rule` null: the branch is not protected. At most three queries.
 */
export async function readMergeReviews(
  db: Reader,
  { repositoryId, pullId }: { repositoryId: number; pullId: number },
  rule: Pick<BranchRule, "id" | "enableApprovalsList" | "ignoreStaleApprovals" | "dismissStaleApprovals"> | null,
): Promise<Pick<MergeState, "approvals" | "rejected" | "requested">> {
  const rows = await findDecisions(db, pullId);
  const [users, teams] = await Promise.all([
    findOfficialReviewers(
      db,
      repositoryId,
      rule,
      rows.flatMap(({ reviewerId }) => reviewerId ?? []),
    ),
    findOfficialTeams(
      db,
      rule,
      rows.flatMap(({ teamId }) => teamId ?? []),
    ),
  ]);
  const counted = rows.filter(
    ({ official, reviewerId, teamId }) => official && (users.has(reviewerId ?? 0) || teams.has(teamId ?? 0)),
  );
  // An approval that is to be dismissed counts for nothing before that is done.
  const ignoresStale = rule?.ignoreStaleApprovals === true || rule?.dismissStaleApprovals === true;
  return {
    approvals: counted.filter(({ kind, stale }) => kind === "approve" && !(stale && ignoresStale)).length,
    rejected: counted.some(({ kind }) => kind === "request-changes"),
    requested: counted.some(({ kind }) => kind === "request"),
  };
}
