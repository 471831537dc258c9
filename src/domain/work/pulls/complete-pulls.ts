import type { OwnerRow, RepositoryAccess } from "../../../auth/subject.ts";
import type { Viewer } from "../../../auth/viewer-of.ts";
import type { Database } from "../../../db/client.ts";
import { accessModes } from "../../../db/schema/owners.ts";
import { knownUsers } from "../comments/queries.ts";
import { findVisibleRepositories } from "../../repos/forks/queries.ts";
import { completeIssues, type FoundIssue, type IssueRow } from "../issues/queries.ts";
import { findKnownTeams } from "../../identity/teams/known-queries.ts";
import type { Team } from "../../identity/teams/queries.ts";
import { listPullDetails, type PullDetails } from "./detail-queries.ts";
import { requestsByIssue, type PullRow } from "./queries.ts";

/** A pull request with all that is shown of it. */
export interface FoundPull {
  found: FoundIssue;
  pull: PullRow;
  /** The repository that it is from; null: gone, or unknown to the viewer. */
  head: RepositoryAccess | null;
  /** Whether the branch is there. */
  hasBranch: boolean;
  /** null: not merged, gone, or unknown to the viewer. */
  mergedBy: OwnerRow | null;
  /** The requested reviewers without a review, as far as the viewer may know of them. */
  reviewers: OwnerRow[];
  teams: Team[];
}

/**
 * Adds to pull requests of a repository what is shown of them: a constant number of queries, and none for what none of them
 * has. Details that are known already are not read. Rows of issues are left out.
 */
export async function completePulls(
  db: Database,
  viewer: Viewer,
  base: RepositoryAccess,
  rows: readonly IssueRow[],
  known: readonly PullDetails[] = [],
): Promise<FoundPull[]> {
  const pulls = new Map(known.map((one) => [one.issueId, one]));
  const unknown = rows.flatMap(({ id }) => (pulls.has(id) ? [] : [id]));
  const [issues, read] = await Promise.all([completeIssues(db, viewer, rows), listPullDetails(db, unknown)]);
  read.forEach((one, id) => pulls.set(id, one));
  const all = [...pulls.values()];
  const requests = await requestsByIssue(
    db,
    all.flatMap(({ issueId, hasRequests }) => (hasRequests ? [issueId] : [])),
  );
  const asked = [...requests.values()].flat();
  const teamIds = asked.map(({ teamId }) => teamId);
  const headIds = new Set(all.flatMap(({ headRepositoryId }) => headRepositoryId ?? []));
  headIds.delete(base.repository.id);
  const [heads, users, teams] = await Promise.all([
    headIds.size === 0 ? new Map<number, RepositoryAccess>() : findVisibleRepositories(db, viewer, [...headIds]),
    knownUsers(db, viewer, [...all.map(({ mergedById }) => mergedById), ...asked.map(({ reviewerId }) => reviewerId)]),
    findKnownTeams(db, viewer, teamIds, base.mode >= accessModes.admin),
  ]);
  const headOf = ({ headRepositoryId }: PullRow): RepositoryAccess | null => {
    if (headRepositoryId === base.repository.id) {
      return base;
    }
    const found = heads.get(headRepositoryId ?? 0);
    return found !== undefined && found.units.code >= accessModes.read ? found : null;
  };
  return issues.flatMap((found): FoundPull[] => {
    const pull = pulls.get(found.issue.id);
    if (pull === undefined) {
      return [];
    }
    const ofPull = requests.get(found.issue.id) ?? [];
    return [
      {
        found,
        pull,
        head: headOf(pull),
        hasBranch: pull.hasBranch,
        mergedBy: users.get(pull.mergedById ?? 0) ?? null,
        reviewers: ofPull.flatMap(({ reviewerId }) => users.get(reviewerId ?? 0) ?? []),
        teams: ofPull.flatMap(({ teamId }) => teams.get(teamId ?? 0) ?? []),
      },
    ];
  });
}
