import type { Actor } from "../../auth/subject.ts";
import { accessModes } from "../../db/schema/owners.ts";
import { findPushedCommits } from "../../domain/activities/pushed-commits.ts";
import type { Deed } from "../../domain/activities/queries.ts";
import type { Forge } from "../../domain/forge.ts";
import type { CommitRecord } from "../../git/log/commit-record.ts";
import { utcDate } from "../commits/dates.ts";
import { presentRepository } from "../repos/present.ts";
import { presentOwner } from "../users/present.ts";

function presentCommit(commit: CommitRecord) {
  return {
    Sha1: commit.oid,
    Message: commit.message,
    AuthorEmail: commit.author.email,
    AuthorName: commit.author.name,
    CommitterEmail: commit.committer.email,
    CommitterName: commit.committer.name,
    Signature: null,
    Timestamp: utcDate(commit.committer.seconds),
  };
}

/** What was pushed to a branch, as the family's clients read it out of `content`. */
async function contentOfPush(forge: Forge, { activity, access }: Deed, signal: AbortSignal): Promise<string> {
  const moved = JSON.parse(activity.content) as { old: string | null; new: string };
  const { commits, total } = await findPushedCommits(forge, access.repository, moved, signal);
  const presented = commits.map(presentCommit);
  const compare = moved.old === null ? "" : `${access.owner.name}/${access.repository.name}/compare/${moved.old}...${moved.new}`;
  return JSON.stringify({ Commits: presented, HeadCommit: presented[0] ?? null, CompareURL: compare, Len: total });
}

/** A deed as the family's Activity, in the feed of `ofId`. */
export async function presentActivity(forge: Forge, deed: Deed, ofId: number, viewer: Actor | null, signal: AbortSignal) {
  const { activity, actor, access } = deed;
  // Whoever may not see the code is told that it changed, and not how.
  const hidesCode = activity.refName !== "" && access.units.code < accessModes.read;
  const content = hidesCode ? "" : activity.kind === "commit_repo" ? await contentOfPush(forge, deed, signal) : activity.kind === "rename_repo" ? activity.content : "";
  return {
    id: activity.id,
    user_id: ofId,
    op_type: activity.kind,
    act_user_id: actor.id,
    act_user: presentOwner(forge.addresses, actor, viewer),
    repo_id: access.repository.id,
    repo: presentRepository(forge.addresses, access, viewer),
    comment_id: 0,
    comment: null,
    ref_name: hidesCode ? "" : activity.refName,
    is_private: access.repository.private || access.owner.visibility !== "public",
    content,
    created: activity.at.toISOString(),
  };
}
