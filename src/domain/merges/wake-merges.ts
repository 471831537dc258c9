import { newJob } from "../../queue/enqueue.ts";
import { autoMergeJob } from "../../queue/kinds.ts";
import type { Event } from "../events.ts";
import type { NamedIssue, NamedRepository } from "../events/names.ts";
import type { Work } from "../work.ts";
import { findScheduled, listWaiting, removeScheduled, type Waiting } from "./auto-merge-queries.ts";
import { findPullById } from "../pulls/queries.ts";

/**
 * Subscriber: has merges tried that wait for their checks, when something happens that they may have waited for; and ends the
 * wait of a pull request that is closed, whose head somebody else pushed to from a fork, or that somebody else gave another base: nobody has
 * agreed to merge that.
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
    await work.enqueueForServer("auto-merge", newJob(autoMergeJob, { pullId }, { key: String(pullId) }));
  }
}

/** Ends the wait of a pull request that somebody else than its scheduler has merged into another branch. */
async function endWaitOfAnother(work: Work, event: Event & { kind: "pull.retargeted" }): Promise<boolean> {
  const scheduled = await findScheduled(work.tx, event.issue.id);
  return scheduled !== null && scheduled.doerId !== work.actorId && (await endWait(work, event));
}

/** Who may push to a branch of the base repository may merge into it, too; to that of a fork, anybody may. */
async function endWaitAfterPush(work: Work, event: Event & { kind: "pull.synchronized" }): Promise<boolean> {
  const scheduled = await findScheduled(work.tx, event.issue.id);
  if (scheduled === null || scheduled.doerId === work.actorId) {
    return false;
  }
  const found = await findPullById(work.tx, event.issue.id);
  const isOwn = found?.pull.headRepositoryId === event.repository.id && found.pull.flow === "branch";
  return !isOwn && (await endWait(work, event));
}

async function endWait(
  work: Work,
  { repository, issue }: { repository: NamedRepository; issue: NamedIssue },
): Promise<boolean> {
  const removed = issue.isPull ? await removeScheduled(work.tx, issue.id) : null;
  if (removed !== null) {
    work.tell({ kind: "pull.merge-unscheduled", repository, issue, style: removed.style });
  }
  return removed !== null;
}
