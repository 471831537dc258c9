import { newJob } from "../../../queue/enqueue.ts";
import type { Doer } from "../../spine/doer.ts";
import type { Event } from "../../spine/events.ts";
import type { NamedIssue, NamedOwner } from "../../spine/events/names.ts";
import type { Forge } from "../../spine/forge.ts";
import type { Work } from "../../spine/work.ts";
import { tellOfIssue, tellOfOffer, tellOfQuota } from "./recipient-queries.ts";

/** A job notifies more recipients than this, so that the doer does not wait. */
const mostAtOnce = 100;
const batchSize = 1000;

/**
 * Subscriber: notifies those whom something concerns. Nobody hears of what they did themselves, of what somebody did whom they keep
 * away, or of what they may not see. What the server does on its own, as when it is seeded, nobody hears of.
 */
export async function notifyOfEvent(work: Work, event: Event): Promise<void> {
  const { tx, actorId: doerId, doer } = work;
  if (event.kind === "review.requested") {
    // Owners of code are asked by the server.
    await tellReviewer(work, event);
  }
  if (event.kind === "quota.warned") {
    // The owner must know, whoever caused it.
    await tellOfQuota(tx, event.repository.id, event.owner.id);
  }
  if (event.kind === "pull.merge-unscheduled") {
    // The server ends a merge that nothing can make possible any more.
    const audience = { kind: "users", ids: [event.scheduledById], reason: "scheduled" } as const;
    await tellOfIssue(tx, { issueId: event.issue.id, audience, doerId }, { afterId: 0, most: 1, allOrNone: false });
  }
  if (doer.kind === "server") {
    return;
  }
  switch (event.kind) {
    case "issue.opened":
    case "issue.closed":
    case "issue.reopened":
    case "pull.merged":
    case "comment.created":
    case "review.submitted": {
      const { id: issueId } = event.issue;
      const told = await tellOfIssue(
        tx,
        { issueId, audience: { kind: "concerned" }, doerId },
        { afterId: 0, most: mostAtOnce, allOrNone: true },
      );
      if (told.length > mostAtOnce) {
        // One job tells all that a user has done to an issue; owners take turns.
        const turn = { key: `${issueId}:${doerId ?? 0}`, principal: event.repository.owner.id };
        await work.enqueueForServer("notify", newJob("notify", { issueId, doerId }, turn));
      }
      break;
    }
    case "issue.assigned":
    case "issue.mentioned": {
      const reason = event.kind === "issue.assigned" ? "assigned" : "mentioned";
      await tellOfIssue(
        tx,
        { issueId: event.issue.id, audience: { kind: "users", ids: [event.user.id], reason }, doerId },
        { afterId: 0, most: 1, allOrNone: false },
      );
      break;
    }
    case "transfer.offered":
      await tellOfOffer(tx, event.repository.id, event.recipient.id, doerId);
  }
}

/** More members of a team than these are not told. */
const mostOfTeam = 1000;

async function tellReviewer(
  { tx, actorId: doerId }: Work,
  { issue, user, team }: { issue: NamedIssue; user: NamedOwner | null; team: { id: number } | null },
): Promise<void> {
  const reason = "review-requested";
  const audience =
    team === null
      ? ({ kind: "users", ids: user === null ? [] : [user.id], reason } as const)
      : ({ kind: "team", id: team.id, reason } as const);
  await tellOfIssue(tx, { issueId: issue.id, audience, doerId }, { afterId: 0, most: mostOfTeam, allOrNone: false });
}

/** Notifies all whom an issue concerns, as they are and with the rights that they have now. */
export async function notifyMany(
  forge: Forge,
  doer: Doer,
  { issueId, doerId }: { issueId: number; doerId: number | null },
  signal: AbortSignal,
): Promise<void> {
  for (let afterId = 0, more = true; more;) {
    signal.throwIfAborted();
    const found = await forge.change(doer, ({ tx }) =>
      tellOfIssue(
        tx,
        { issueId, audience: { kind: "concerned" }, doerId },
        { afterId, most: batchSize, allOrNone: false },
      ),
    );
    more = found.length > batchSize;
    afterId = found[batchSize - 1] ?? afterId;
  }
}
