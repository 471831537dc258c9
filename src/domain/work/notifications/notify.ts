import { newJob } from "../../../queue/enqueue.ts";
import type { Doer } from "../../spine/doer.ts";
import type { Event } from "../../spine/events.ts";
import type { NamedIssue, NamedOwner } from "../../spine/events/names.ts";
import type { Forge } from "../../spine/forge.ts";
import type { Work } from "../../spine/work.ts";
import { tellOfIssue, tellOfOffer, tellOfQuota, tellOfRelease, type Telling } from "./recipient-queries.ts";

/** A job notifies more recipients than this, so that the doer does not wait. */
const mostAtOnce = 100;
const batchSize = 1000;

/** Has the pages of users look again at their inboxes. */
function refreshInboxes(work: Work, userIds: readonly number[]): void {
  for (const id of userIds) {
    work.refresh(`inbox:${id}`);
  }
}

/** Notifies those whom `tellOfIssue` finds, one user if that names a single one. Returns what it returns. */
async function tell(
  work: Work,
  telling: Telling,
  slice: Parameters<typeof tellOfIssue>[2] = { afterId: 0, most: 1, allOrNone: false },
): Promise<number[]> {
  const found = await tellOfIssue(work.tx, telling, slice);
  if (!slice.allOrNone || found.length <= slice.most) {
    refreshInboxes(work, found.slice(0, slice.most));
  }
  return found;
}

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
    refreshInboxes(work, await tellOfQuota(tx, event.repository.id, event.owner.id));
  }
  if (event.kind === "pull.merge-unscheduled") {
    // The server ends a merge that nothing can make possible any more.
    const audience = { kind: "users", ids: [event.scheduledById], reason: "scheduled" } as const;
    await tell(work, { issueId: event.issue.id, audience, doerId });
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
      const slice = { afterId: 0, most: mostAtOnce, allOrNone: true };
      const told = await tell(work, { issueId, audience: { kind: "concerned" }, doerId }, slice);
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
      await tell(work, { issueId: event.issue.id, audience: { kind: "users", ids: [event.user.id], reason }, doerId });
      break;
    }
    case "release.published":
      if (!event.release.draft) {
        refreshInboxes(work, await tellOfRelease(tx, event.repository.id, doerId));
      }
      break;
    case "transfer.offered":
      refreshInboxes(work, await tellOfOffer(tx, event.repository.id, event.recipient.id, doerId));
  }
}

/** More members of a team than these are not told. */
const mostOfTeam = 1000;

async function tellReviewer(
  work: Work,
  { issue, user, team }: { issue: NamedIssue; user: NamedOwner | null; team: { id: number } | null },
): Promise<void> {
  const reason = "review-requested";
  const audience =
    team === null
      ? ({ kind: "users", ids: user === null ? [] : [user.id], reason } as const)
      : ({ kind: "team", id: team.id, reason } as const);
  const slice = { afterId: 0, most: mostOfTeam, allOrNone: false };
  await tell(work, { issueId: issue.id, audience, doerId: work.actorId }, slice);
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
    const slice = { afterId, most: batchSize, allOrNone: false };
    const found = await forge.change(doer, (work) =>
      tell(work, { issueId, audience: { kind: "concerned" }, doerId }, slice),
    );
    more = found.length > batchSize;
    afterId = found[batchSize - 1] ?? afterId;
  }
}
