import type { Actor, OwnerRow, RepositoryAccess } from "../../../auth/subject.ts";
import { Forbidden } from "../../spine/errors.ts";
import { isConcerned } from "../notifications/recipient-queries.ts";
import type { Work } from "../../spine/work.ts";
import { getLockedIssue } from "./edit-issue.ts";
import { findSubscription, putSubscription } from "./subscription-queries.ts";

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
