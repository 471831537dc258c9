import type { Event } from "../../spine/events.ts";
import type { Work } from "../../spine/work.ts";
import { acceptPullBytes, findPullBytes, lockUsage } from "./guest-queries.ts";
import { hasRoomOfOwner } from "./hold-quota.ts";

/**
 * Subscriber: what a pull request brought leaves the share of guests with its merge, where the owner has room for it. A merge that brings no
 * pack is not held to the quota, so without room the owner could get as much as they like from another account.
 */
export async function acceptBytes({ tx, config }: Work, event: Event): Promise<void> {
  if (event.kind !== "pull.merged") {
    return;
  }
  const { repository, issue } = event;
  // Most pull requests brought nothing. The owner's usage is the last row in the order of locks.
  const bytes = await findPullBytes(tx, repository, issue.number);
  if (bytes === 0) {
    return;
  }
  await lockUsage(tx, repository.owner.id);
  if (await hasRoomOfOwner(tx, config, repository, bytes)) {
    await acceptPullBytes(tx, repository.id, issue.number);
  }
}
