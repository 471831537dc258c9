import type { Actor, OwnerRow, RepositoryAccess } from "../../../auth/subject.ts";
import { Forbidden, NotFound } from "../../spine/errors.ts";
import { markOne } from "../notifications/mark.ts";
import { isConcerned } from "../notifications/recipient-queries.ts";
import type { Work } from "../../spine/work.ts";
import { getLockedIssue } from "./edit-issue.ts";
import { findSubscription, putSubscription, updateSubscription } from "./subscription-queries.ts";

/**
 * Subscribes a user to an issue, or sees to it that they hear nothing of it. Returns whether that changed anything. Everybody does
 * so for themselves, and site administrators for others. Throws Forbidden, and NotFound for the issue.
 */
export async function subscribe(
  work: Work,
  access: RepositoryAccess,
  number: number,
  actor: Actor,
  user: OwnerRow,
  watching: boolean,
): Promise<boolean> {
  if (user.id !== actor.id) {
    if (!actor.isAdmin) {
      throw new Forbidden("Only site administrators subscribe others to an issue, or end that");
    }
    await work.demand({ on: "instance", do: "administer" });
  }
  const { tx } = work;
  const row = await getLockedIssue(work, access, number);
  const before = (await findSubscription(tx, row.id, user.id)) ?? (await isConcerned(tx, row.id, user.id));
  await putSubscription(tx, row.id, user.id, watching);
  return before !== watching;
}

/** Has the doer hear nothing more of the issue of one of their notifications, which is read then. Throws NotFound. */
export async function mute(work: Work, notificationId: number): Promise<void> {
  const { notification } = await markOne(work, notificationId, "read");
  if (notification.issueId === null) {
    throw new NotFound("issue", String(notificationId));
  }
  await putSubscription(work.tx, notification.issueId, notification.userId, false);
}

/** Changes a choice that a user has made about an issue: to hear of it, or not to. Throws NotFound if they made none. */
export async function changeSubscription(
  work: Work,
  userId: number,
  issueId: number,
  watching: boolean,
): Promise<void> {
  if (!(await updateSubscription(work.tx, issueId, userId, watching))) {
    throw new NotFound("subscription", String(issueId));
  }
}
