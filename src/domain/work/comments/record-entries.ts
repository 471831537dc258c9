import type { Event } from "../../spine/events.ts";
import type { Work } from "../../spine/work.ts";
import { adoptFiles } from "../issues/loose-files.ts";
import { insertEntry, type EntryColumns } from "./queries.ts";

type Entry = Omit<EntryColumns, "repositoryId" | "issueId" | "authorId" | "createdAt">;

/** Subscriber: writes what happens to an issue or a pull request into its timeline. */
export async function recordEntries(work: Work, event: Event): Promise<void> {
  const entry = entryOf(event);
  if (entry !== null && "issue" in event) {
    const issueId = event.issue.id;
    const { id: commentId } = await insertEntry(work.tx, {
      ...entry,
      repositoryId: event.repository.id,
      issueId,
      authorId: work.actorId,
    });
    if (event.kind === "review.submitted") {
      await adoptFiles(work, { issueId, commentId }, event.body);
    }
  }
}

function entryOf(event: Event): Entry | null {
  switch (event.kind) {
    case "issue.closed":
      return { kind: "close" };
    case "issue.reopened":
      return { kind: "reopen" };
    case "issue.assigned":
    case "issue.unassigned":
      return { kind: "assignees", assigneeId: event.user.id, added: event.kind === "issue.assigned" };
    case "issue.labeled":
    case "issue.unlabeled":
      return { kind: "label", labelId: event.label.id, added: event.kind === "issue.labeled" };
    case "issue.milestoned":
      return { kind: "milestone", milestoneId: event.milestone.id };
    case "issue.demilestoned":
      return { kind: "milestone", oldMilestoneId: event.milestone.id };
    case "issue.retitled":
      return { kind: "change_title", oldText: event.oldTitle, newText: event.issue.title };
    case "issue.ref-changed":
      return { kind: "change_issue_ref", oldText: event.oldRef, newText: event.newRef };
    case "issue.due-changed":
      return {
        kind:
          event.newDue === null ? "removed_deadline" : event.oldDue === null ? "added_deadline" : "modified_deadline",
        oldText: event.oldDue,
        newText: event.newDue,
      };
    case "pull.synchronized":
      // A job finds out what it brought; it is shown then.
      return { kind: "pull_push", oldText: event.oldHead, newText: event.newHead, pending: true };
    case "pull.retargeted":
      return { kind: "change_target_branch", oldText: event.oldBase, newText: event.newBase };
    case "pull.head-deleted":
      return { kind: "delete_branch", oldText: event.branch };
    case "pull.merged":
      return { kind: "merge_pull" };
    case "pull.merge-scheduled":
      return { kind: "pull_scheduled_merge" };
    case "pull.merge-unscheduled":
      return { kind: "pull_cancel_scheduled_merge" };
    case "issue.locked":
      return { kind: "lock", body: event.reason };
    case "issue.unlocked":
      return { kind: "unlock" };
    case "issue.pinned":
      return { kind: "pin" };
    case "issue.unpinned":
      return { kind: "unpin" };
    case "stopwatch.started":
      return { kind: "start_tracking" };
    case "stopwatch.cancelled":
      return { kind: "cancel_tracking" };
    case "time.tracked":
      return {
        kind: event.byStopwatch ? "stop_tracking" : "add_time_manual",
        trackedTimeId: event.time.id,
        seconds: event.time.seconds,
      };
    case "time.deleted":
      return { kind: "delete_time_manual", seconds: event.seconds };
    case "issue.dependency-added":
    case "issue.dependency-removed":
      return {
        kind: event.kind === "issue.dependency-added" ? "add_dependency" : "remove_dependency",
        otherIssueId: event.other.id,
      };
    case "review.requested":
    case "review.request-withdrawn":
      return {
        kind: "review_request",
        assigneeId: event.user?.id ?? null,
        assigneeTeamId: event.team?.id ?? null,
        added: event.kind === "review.requested",
      };
    case "review.submitted":
      return { kind: "review", reviewId: event.review.id, body: event.body, byGuest: event.byGuest };
    case "review.dismissed":
      return { kind: "dismiss_review", reviewId: event.review.id, body: event.message };
    default:
      return null;
  }
}
