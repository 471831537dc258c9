import { newJob } from "../../../queue/enqueue.ts";
import type { Event } from "../../spine/events.ts";
import type { NamedIssue, NamedRepository } from "../../spine/events/names.ts";
import type { Work } from "../../spine/work.ts";
import {
  findScheduled,
  listWaiting,
  removeScheduled,
  setScheduledHead,
  type ScheduledMerge,
  type Waiting,
} from "./auto-merge-queries.ts";
import { findLastMove, findPullById } from "../pulls/queries.ts";

/**
 * Subscriber: has merges tried that wait for their checks, when something happens that they may have waited for; and ends the
 * wait of a pull request that is closed, or that somebody else than the scheduler gave another head or base: nobody has agreed to merge that.
 */
export async function wakeMerges(work: Work, event: Event): Promise<void> {
  switch (event.kind) {
    case "status.created":
      await wake(work, { repositoryId: event.repository.id, headOid: event.oid });
      return;
    case "branch-protection.edited":
    case "branch-protection.deleted":
      await wake(work, { repositoryId: event.repository.id });
      return;
    case "review.submitted":
    case "review.dismissed":
    case "review.undismissed":
    case "review.deleted":
    case "review.request-withdrawn":
    case "pull.reviews-renewed":
    case "issue.retitled":
      await wake(work, { pullId: event.issue.id });
      return;
    case "pull.synchronized":
      if (!(await endWaitAfterPush(work, event))) {
        await wake(work, { pullId: event.issue.id });
      }
      return;
    case "pull.retargeted":
      if (!(await endWaitOfAnother(work, event))) {
        await wake(work, { pullId: event.issue.id });
      }
      return;
    case "pull.merged":
      await wake(work, { dependOn: event.issue.id });
      return;
    case "issue.closed":
      await endWait(work, event);
      await wake(work, { dependOn: event.issue.id });
      return;
    default:
      return;
  }
}

/** Has merges that wait tried again, each by a job. */
export async function wake(work: Work, which: Waiting): Promise<void> {
  for (const pullId of await listWaiting(work.tx, which)) {
    await work.enqueueForServer("auto-merge", newJob("auto-merge", { pullId }, { key: String(pullId) }));
  }
}

/** The event that a merge is not waited for any more. */
export function unscheduled(
  repository: NamedRepository,
  issue: NamedIssue,
  { style, doerId }: ScheduledMerge,
): Event & { kind: "pull.merge-unscheduled" } {
  return { kind: "pull.merge-unscheduled", repository, issue, style, scheduledById: doerId };
}

/** Ends the wait of a pull request that somebody else than its scheduler has merged into another branch. */
async function endWaitOfAnother(work: Work, event: Event & { kind: "pull.retargeted" }): Promise<boolean> {
  const scheduled = await findScheduled(work.tx, event.issue.id);
  return scheduled !== null && scheduled.doerId !== work.actorId && (await endWait(work, event));
}

/**
 * Ends the wait of a pull request that has another head: the scheduler agreed to merge the former one. The wait goes on if it was the scheduler who
 * moved the head, and nobody else before them.
 */
async function endWaitAfterPush(work: Work, event: Event & { kind: "pull.synchronized" }): Promise<boolean> {
  const scheduled = await findScheduled(work.tx, event.issue.id);
  if (scheduled === null) {
    return false;
  }
  const isOwn = scheduled.doerId === work.actorId && scheduled.headOid === event.oldHead;
  if (isOwn && (await isOneMove(work, event))) {
    await setScheduledHead(work.tx, event.issue.id, event.newHead);
    return false;
  }
  return endWait(work, event);
}

/** Whether one push moved the head. That of a fork is brought here later, after any number of pushes. */
async function isOneMove(
  { tx }: Work,
  { issue, repository, oldHead, newHead }: Event & { kind: "pull.synchronized" },
): Promise<boolean> {
  const pull = (await findPullById(tx, issue.id))?.pull;
  if (pull === undefined || pull.headRepositoryId === null) {
    return false;
  }
  const { headRepositoryId, headBranch, flow } = pull;
  if (flow === "agit" || headRepositoryId === repository.id) {
    return true;
  }
  const last = await findLastMove(tx, headRepositoryId, `refs/heads/${headBranch}`);
  return last?.oldOid === oldHead && last.newOid === newHead;
}

async function endWait(
  work: Work,
  { repository, issue }: { repository: NamedRepository; issue: NamedIssue },
): Promise<boolean> {
  const removed = issue.isPull ? await removeScheduled(work.tx, issue.id) : null;
  if (removed !== null) {
    work.tell(unscheduled(repository, issue, removed));
  }
  return removed !== null;
}
