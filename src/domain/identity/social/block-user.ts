import type { OwnerRow } from "../../../auth/subject.ts";
import { InvalidInput } from "../../../lib/errors.ts";
import { findMembership } from "../orgs/queries.ts";
import { cutTies } from "./cut-ties.ts";
import { unfollowUser } from "./follow-user.ts";
import { insertBlock, removeBlock } from "./queries.ts";
import type { Work } from "../../spine/work.ts";
import { namedOwner, type NamedOwner } from "../../spine/events/names.ts";

/**
 * Keeps a user away from what is the blocker's, and takes away what ties the two. Throws InvalidInput for oneself and for members of the
 * organization that blocks.
 */
export async function blockUser(work: Work, blocker: OwnerRow, blocked: OwnerRow): Promise<void> {
  const { tx } = work;
  if (blocker.id === blocked.id) {
    throw new InvalidInput("Nobody can block themselves", "username");
  }
  if (blocker.kind === "organization" && (await findMembership(tx, blocker.id, blocked.id)).mode !== null) {
    throw new InvalidInput(
      `"${blocked.name}" is a member of "${blocker.name}" and cannot be blocked by it`,
      "username",
    );
  }
  await insertBlock(tx, blocker.id, blocked.id);
  work.tell({ kind: "block.added", owner: namedOwner(blocker), user: namedOwner(blocked) });
  await unfollowUser(work, blocker, blocked);
  await unfollowUser(work, blocked, blocker);
  await cutTies(work, blocker.id, { blockedId: blocked.id });
}

/** No longer keeps a user away; nothing happens when they were not blocked. */
export async function unblockUser(work: Work, blocker: NamedOwner, blocked: NamedOwner): Promise<void> {
  await removeBlock(work.tx, blocker.id, blocked.id);
}
