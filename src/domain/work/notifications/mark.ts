import { notificationStatuses, type NotificationStatus } from "../../../db/schema/notifications.ts";
import { actorOf, viewerOfDoer } from "../../spine/doer.ts";
import { NotFound } from "../../spine/errors.ts";
import type { Work } from "../../spine/work.ts";
import { InvalidInput } from "../../../lib/errors.ts";
import { findNotifications, markNotifications, setSnoozed, type FoundNotification, type Marking } from "./queries.ts";

/** So many of those that were marked are shown. */
export const mostShown = 50;

/** Gives the doer's notifications another status, those of what they may see. Returns the latest of those that it changed. */
export async function markAll(work: Work, marking: Marking, status: NotificationStatus): Promise<FoundNotification[]> {
  const viewer = viewerOfDoer(work.doer);
  const ids = await markNotifications(work.tx, viewer, marking, status);
  work.refresh(`inbox:${actorOf(work.doer).id}`);
  return findNotifications(work.tx, viewer, ids, mostShown);
}

/** Gives one of the doer's notifications a status. Throws NotFound for somebody else's, and for one of what they may not see. */
export async function markOne(work: Work, id: number, status: NotificationStatus): Promise<FoundNotification> {
  const viewer = viewerOfDoer(work.doer);
  await markNotifications(work.tx, viewer, { statuses: notificationStatuses, ids: [id] }, status);
  work.refresh(`inbox:${actorOf(work.doer).id}`);
  const [found] = await findNotifications(work.tx, viewer, [id], 1);
  if (found === undefined) {
    throw new NotFound("notification", String(id));
  }
  return found;
}

/** A notification is put off for so long at most. */
const longestSnoozeMs = 366 * 86_400_000;

/**
 * Has the inbox show one of the doer's notifications, unread, from a time on; null: at once. What happens meanwhile changes nothing
 * about that. Throws NotFound, and InvalidInput for a time that has passed or is more than a year away.
 */
export async function snooze(work: Work, id: number, until: Date | null): Promise<void> {
  const ms = until === null ? 1 : until.getTime() - Date.now();
  if (!(ms > 0 && ms <= longestSnoozeMs)) {
    throw new InvalidInput("Choose a time within the next year", "until");
  }
  await markOne(work, id, "unread");
  await setSnoozed(work.tx, id, until);
}
