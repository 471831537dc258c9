import { newJob } from "../../../queue/enqueue.ts";
import type { JobPayload } from "../../../queue/job-kind.ts";
import { isSeed } from "../../spine/doer.ts";
import type { Event } from "../../spine/events.ts";
import type { NamedIssue } from "../../spine/events/names.ts";
import type { Work } from "../../spine/work.ts";
import { isTextOfNow } from "./queries.ts";

type About = JobPayload<"issue-mail">["about"];

const reason = "mail about an issue";

/**
 * Subscriber: enqueues mails to the users whom an event concerns. It writes one row of the queue, however many users
 * these are. Changes by the server itself, such as a seed, send no mail.
 */
export async function mailOfEvent(work: Work, event: Event): Promise<void> {
  if (work.config.mail.smtp_host === "" || isSeed(work.doer)) {
    return;
  }
  if (event.kind === "review.requested") {
    // Owners of code are asked by the server.
    const { issue, user, team } = event;
    return team === null ? mailOne(work, issue, "review-requested", user?.id ?? 0) : mailTeam(work, issue, team.id);
  }
  if (work.doer.kind === "server") {
    return;
  }
  switch (event.kind) {
    case "issue.opened":
      return mailAll(work, event.issue, "opened");
    case "issue.closed":
      return mailAll(work, event.issue, "closed");
    case "issue.reopened":
      return mailAll(work, event.issue, "reopened");
    case "pull.merged":
      return mailAll(work, event.issue, "merged");
    case "comment.created":
      return mailAll(work, event.issue, "commented", { commentId: event.comment.id });
    case "review.submitted":
      return mailAll(work, event.issue, "reviewed", { reviewId: event.review.id });
    case "issue.assigned":
      return mailOne(work, event.issue, "assigned", event.user.id);
    case "issue.mentioned":
      return mailOne(work, event.issue, "mentioned", event.user.id);
  }
}

type Part = { commentId: number } | { reviewId: number } | { teamId: number } | null;

function newsOf({ actorId }: Work, issue: NamedIssue, about: About, part: Part) {
  const whole = { about, issueId: issue.id, commentId: null, reviewId: null, teamId: null };
  return { ...whole, ...part, doerId: actorId, at: Date.now() };
}

async function mailAll(work: Work, issue: NamedIssue, about: About, part: Part = null): Promise<void> {
  const news = newsOf(work, issue, about, part);
  await work.enqueueForServer(reason, newJob("issue-mails", { ...news, afterId: 0 }));
}

function mailTeam(work: Work, issue: NamedIssue, teamId: number): Promise<void> {
  return mailAll(work, issue, "review-requested", { teamId });
}

/** A user who is mentioned in a new text or assigned to a new issue gets the mail about that instead. */
async function mailOne(work: Work, issue: NamedIssue, about: About, userId: number): Promise<void> {
  const isTold =
    about !== "review-requested" && (await isTextOfNow(work.tx, issue.id, { comments: about === "mentioned" }));
  if (!isTold) {
    await work.enqueueForServer(reason, newJob("issue-mail", { ...newsOf(work, issue, about, null), userId }));
  }
}
