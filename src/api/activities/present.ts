import type { Static } from "elysia";
import type { Activity } from "./schema.ts";
import type { Actor } from "../../auth/subject.ts";
import type { ActivityKind } from "../../db/schema/social.ts";
import { accessModes } from "../../db/schema/owners.ts";
import { movedBranch } from "../../domain/work/activities/pushed-commits.ts";
import type { Deed } from "../../domain/work/activities/queries.ts";
import type { DeedSubject } from "../../domain/work/activities/subject-queries.ts";
import type { Addresses } from "../../domain/spine/addresses.ts";
import type { RepositoryWithParent } from "../../domain/repos/forks/with-parent.ts";
import type { CommitRecord } from "../../git/log/commit-record.ts";
import type { PushedCommitsResult } from "../../git/operations/pushed-commits.ts";
import { clip } from "../../lib/show-value.ts";
import { utcDate } from "../commits/dates.ts";
import { presentComment } from "../comments/present.ts";
import { presentRepository } from "../repos/present.ts";
import { presentOwner } from "../users/present.ts";
import { presentInstant } from "../common/instants.ts";

/** How many characters of each commit message a feed shows. */
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

/** Describes a push to a branch as clients of the family read it from `content`. */
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

/** How many characters of a comment or a review `content` shows. */
const longestText = 200;

const firstLine = ({ body }: { body: string }) => clip(body.split("\n", 1)[0] ?? "", longestText);

/** Which issue or pull request a deed was about, and what was said, as the family's clients read them out of `content`. */
function contentInIssue(kind: ActivityKind, { number, title, comment, review }: DeedSubject): string {
  switch (kind) {
    case "create_issue":
    case "create_pull_request":
    case "merge_pull_request":
    case "auto_merge_pull_request":
    case "pull_request_ready_for_review":
      return `${number}|${title}`;
    case "comment_issue":
    case "comment_pull":
    case "approve_pull_request":
    case "reject_pull_request":
      return `${number}|${comment === null ? (review === null ? "" : firstLine(review)) : clip(comment.comment.body, longestText)}`;
    case "pull_review_dismissed":
      return `${number}|${review?.reviewer?.name ?? ""}|${clip(review?.reason ?? "", longestText)}`;
    default:
      return `${number}|`;
  }
}

/** A deed as the family's Activity, in the feed of `ofId`; `pushed` is what it brought, if it was a push. */
export function presentActivity(
  addresses: Addresses,
  deed: Deed,
  repository: RepositoryWithParent,
  ofId: number,
  viewer: Actor | null,
  { pushed, subject }: { pushed: PushedCommitsResult; subject: DeedSubject | null },
): Static<typeof Activity> {
  const { activity, actor, access } = deed;
  // A caller who may not see the code is told that it changed, but not how.
  const hidesCode = activity.refName !== "" && access.units.code < accessModes.read;
  const content = hidesCode
    ? ""
    : activity.kind === "commit_repo"
      ? contentOfPush(deed, pushed)
      : activity.kind === "rename_repo"
        ? activity.content
        : subject === null
          ? ""
          : contentInIssue(activity.kind, subject);
  const comment = subject?.comment ?? null;
  return {
    id: activity.id,
    user_id: ofId,
    op_type: activity.kind,
    act_user_id: actor.id,
    act_user: presentOwner(addresses, actor, viewer),
    repo_id: access.repository.id,
    repo: presentRepository(addresses, repository, viewer),
    comment_id: comment?.comment.id ?? 0,
    comment: comment === null ? null : presentComment(addresses, access, comment, viewer),
    ref_name: hidesCode ? "" : activity.refName,
    is_private: access.repository.private || access.owner.visibility !== "public",
    content,
    created: presentInstant(activity.at),
  };
}
