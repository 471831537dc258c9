import type { Actor } from "../../auth/subject.ts";
import { accessModes } from "../../db/schema/owners.ts";
import { movedBranch } from "../../domain/activities/pushed-commits.ts";
import type { Deed } from "../../domain/activities/queries.ts";
import type { Addresses } from "../../domain/addresses.ts";
import type { RepositoryWithParent } from "../../domain/forks/with-parent.ts";
import type { CommitRecord } from "../../git/log/commit-record.ts";
import type { PushedCommitsResult } from "../../git/operations/pushed-commits.ts";
import { clip } from "../../lib/show-value.ts";
import { utcDate } from "../commits/dates.ts";
import { presentRepository } from "../repos/present.ts";
import { presentOwner } from "../users/present.ts";

/** Of each commit in a feed, so many characters are told. */
const longestMessage = 10_000;

function presentCommit(commit: CommitRecord) {
  return {
    Sha1: commit.oid,
    Message: clip(commit.message, longestMessage),
    AuthorEmail: commit.author.email,
    AuthorName: commit.author.name,
    CommitterEmail: commit.committer.email,
    CommitterName: commit.committer.name,
    Signature: null,
    Timestamp: utcDate(commit.committer.seconds),
  };
}

/** What was pushed to a branch, as the family's clients read it out of `content`. */
function contentOfPush(deed: Deed, { commits, total }: PushedCommitsResult): string {
  const { access } = deed;
  const moved = movedBranch(deed);
  const presented = commits.map(presentCommit);
  const compare =
    moved === null || moved.old === null
      ? ""
      : `${access.owner.name}/${access.repository.name}/compare/${moved.old}...${moved.new}`;
  return JSON.stringify({ Commits: presented, HeadCommit: presented[0] ?? null, CompareURL: compare, Len: total });
}

/** A deed as the family's Activity, in the feed of `ofId`; `pushed` is what it brought, if it was a push. */
export function presentActivity(
  addresses: Addresses,
  deed: Deed,
  repository: RepositoryWithParent,
  ofId: number,
  viewer: Actor | null,
  pushed: PushedCommitsResult,
) {
  const { activity, actor, access } = deed;
  // Whoever may not see the code is told that it changed, and not how.
  const hidesCode = activity.refName !== "" && access.units.code < accessModes.read;
  const content = hidesCode
    ? ""
    : activity.kind === "commit_repo"
      ? contentOfPush(deed, pushed)
      : activity.kind === "rename_repo"
        ? activity.content
        : "";
  return {
    id: activity.id,
    user_id: ofId,
    op_type: activity.kind,
    act_user_id: actor.id,
    act_user: presentOwner(addresses, actor, viewer),
    repo_id: access.repository.id,
    repo: presentRepository(addresses, repository, viewer),
    comment_id: 0,
    comment: null,
    ref_name: hidesCode ? "" : activity.refName,
    is_private: access.repository.private || access.owner.visibility !== "public",
    content,
    created: activity.at.toISOString(),
  };
}
