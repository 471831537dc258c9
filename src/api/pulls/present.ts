import type { Static } from "elysia";
import type { PullRequest } from "./schema.ts";
import type { RepositoryAccess } from "../../auth/subject.ts";
import type { Viewer } from "../../auth/viewer-of.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import type { IssueRow } from "../../domain/work/issues/queries.ts";
import { completePulls, type FoundPull } from "../../domain/work/pulls/complete-pulls.ts";
import type { PullDetails } from "../../domain/work/pulls/detail-queries.ts";
import { isDraftTitle } from "../../domain/work/pulls/draft.ts";
import { headRef } from "../../domain/work/pulls/pull-refs.ts";
import { presentIssue } from "../issues/present.ts";
import { presentRepositories, type PresentedRepository } from "../repos/present-repositories.ts";
import { presentTeam } from "../teams/present.ts";
import { presentOwner } from "../users/present.ts";
import { presentInstant } from "../common/instants.ts";

/**
 * Pull requests of one repository as the family's PullRequest, with a constant number of queries. Nothing of git is read. `shownTo`:
 * who sees the addresses of users, where that is somebody else than who knows of them.
 */
export async function presentPulls(
  forge: Forge,
  viewer: Viewer,
  base: RepositoryAccess,
  rows: readonly IssueRow[],
  known: readonly PullDetails[] = [],
  shownTo: Viewer = viewer,
) {
  const found = await completePulls(forge.database.db, viewer, base, rows, known);
  const heads = new Map(found.flatMap(({ head }) => (head === null ? [] : [[head.repository.id, head]])));
  const accesses = [base, ...[...heads.values()].filter(({ repository }) => repository.id !== base.repository.id)];
  const presented = await presentRepositories(forge, accesses, shownTo);
  const repositories = new Map(presented.map((one) => [one.id, one]));
  return found.map((one) => presentPull(forge, shownTo, base, one, repositories));
}

/** Presents one pull request. `details` are not read if they are given. */
export async function presentOnePull(
  forge: Forge,
  viewer: Viewer,
  base: RepositoryAccess,
  row: IssueRow,
  details?: PullDetails,
) {
  const [presented] = await presentPulls(forge, viewer, base, [row], details === undefined ? [] : [details]);
  if (presented === undefined) {
    throw new Error("A pull request was presented as none");
  }
  return presented;
}

function presentPull(
  forge: Forge,
  { actor }: Viewer,
  base: RepositoryAccess,
  { found, pull, head, hasBranch, mergedBy, reviewers, teams }: FoundPull,
  repositories: ReadonlyMap<number, PresentedRepository>,
): Static<typeof PullRequest> {
  const { addresses, config } = forge;
  const issue = presentIssue(forge, base, found, actor);
  const { number } = found.issue;
  const draft = isDraftTitle(found.issue.title, config.pulls.draft_prefixes);
  const hasHead = hasBranch && head !== null;
  return {
    additions: pull.additions,
    allow_maintainer_edit: pull.allowMaintainerEdit,
    assignee: issue.assignee,
    assignees: issue.assignees,
    base: {
      label: pull.baseBranch,
      ref: pull.baseBranch,
      repo: repositories.get(base.repository.id) ?? null,
      repo_id: base.repository.id,
      sha: pull.baseOid,
    },
    body: issue.body,
    changed_files: pull.changedFiles,
    closed_at: issue.closed_at,
    comments: issue.comments,
    created_at: issue.created_at,
    deletions: pull.deletions,
    diff_url: `${issue.html_url}.diff`,
    draft,
    due_date: issue.due_date,
    flow: pull.flow === "agit" ? 1 : 0,
    head: {
      label: pull.flow === "agit" ? "" : pull.headBranch,
      ref: hasHead ? pull.headBranch : headRef(number),
      repo: head === null ? null : (repositories.get(head.repository.id) ?? null),
      repo_id: head === null ? -1 : head.repository.id,
      sha: pull.headOid,
    },
    html_url: issue.html_url,
    id: issue.id,
    is_locked: issue.is_locked,
    labels: issue.labels,
    merge_base: pull.mergeBaseOid ?? "",
    merge_commit_sha: pull.mergeCommitOid,
    mergeable: !draft && (pull.mergeability === "mergeable" || pull.mergeability === "empty"),
    merged: pull.mergedAt !== null,
    merged_at: presentInstant(pull.mergedAt),
    merged_by: mergedBy === null ? null : presentOwner(addresses, mergedBy, actor),
    milestone: issue.milestone,
    number,
    patch_url: `${issue.html_url}.patch`,
    pin_order: issue.pin_order,
    requested_reviewers: reviewers.map((row) => presentOwner(addresses, row, actor)),
    requested_reviewers_teams: teams.map((row) => presentTeam(addresses, row, actor)),
    review_comments: pull.reviewComments,
    state: issue.state,
    title: issue.title,
    updated_at: issue.updated_at,
    url: issue.html_url,
    user: issue.user,
  };
}
