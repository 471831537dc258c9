import type { Event } from "../../spine/events.ts";
import type { NamedIssue, NamedRepository } from "../../spine/events/names.ts";
import { moveRefs } from "../../git/refs/move-refs.ts";
import type { RefChange } from "../../git/refs/queries.ts";
import type { Work } from "../../spine/work.ts";
import { PullBranchGone, PullMerged } from "./errors.ts";
import { requestRefresh } from "./follow-refs.ts";
import { headRef, pullReason } from "./pull-refs.ts";
import { findPullById, findTip, listPullRefs } from "./queries.ts";
import { setTips } from "./write-queries.ts";

/**
 * Subscriber: what is reopened goes with its branches again, and what is deleted leaves no ref behind. Throws PullMerged and PullBranchGone for one
 * that cannot be reopened: then it is not.
 */
export async function followIssues(work: Work, event: Event): Promise<void> {
  if (event.kind === "issue.reopened" && event.issue.isPull) {
    await reopen(work, event.repository, event.issue);
  }
  if (event.kind === "issue.deleted" && event.issue.isPull) {
    await deleteRefs(work, event.repository, event.issue);
  }
}

async function reopen(work: Work, repository: NamedRepository, issue: NamedIssue): Promise<void> {
  const { tx } = work;
  const found = await findPullById(tx, issue.id);
  if (found === null) {
    return;
  }
  const { pull } = found;
  if (pull.mergedAt !== null) {
    throw new PullMerged(issue.number);
  }
  const baseOid = await findTip(tx, pull.baseRepositoryId, pull.baseBranch);
  if (baseOid === null) {
    throw new PullBranchGone(issue.number, pull.baseBranch);
  }
  const tip =
    pull.flow === "agit" || pull.headRepositoryId === null
      ? pull.headOid
      : await findTip(tx, pull.headRepositoryId, pull.headBranch);
  if (tip === null || pull.headRepositoryId === null) {
    throw new PullBranchGone(issue.number, pull.headBranch);
  }
  // For a fork, the job brings the objects.
  const isOwn = pull.headRepositoryId === pull.baseRepositoryId;
  if (isOwn && tip !== pull.headOid) {
    await moveRefs(work, {
      repository,
      changes: [{ name: headRef(issue.number), oldOid: pull.headOid, newOid: tip, peeled: null }],
      reason: pullReason,
    });
    work.tell({ kind: "pull.synchronized", repository, issue, oldHead: pull.headOid, newHead: tip });
  }
  await setTips(tx, issue.id, { baseOid, headOid: isOwn ? tip : pull.headOid });
  await requestRefresh(work, repository.id);
}

async function deleteRefs(work: Work, repository: NamedRepository, { number }: NamedIssue): Promise<void> {
  const refs = await listPullRefs(work.tx, repository.id, number);
  const changes = refs.map(({ name, oid }): RefChange => ({ name, oldOid: oid, newOid: null, peeled: null }));
  if (changes.length > 0) {
    await moveRefs(work, { repository, changes, reason: pullReason });
  }
}
