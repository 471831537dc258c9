import type { OwnerRow } from "../../../auth/subject.ts";
import { InvalidInput } from "../../../lib/errors.ts";
import { Forbidden } from "../../spine/errors.ts";
import { insertFollow, isBlockedBy, removeFollow } from "./queries.ts";
import type { Work } from "../../spine/work.ts";
import type { NamedOwner } from "../../spine/events/names.ts";

/** Lets a user follow another. Throws InvalidInput for oneself, Forbidden when one of the two blocked the other. */
export async function followUser(work: Work, follower: NamedOwner, followed: OwnerRow): Promise<void> {
  const { tx } = work;
  const { id: followerId } = follower;
  if (followed.id === followerId) {
    throw new InvalidInput("Nobody can follow themselves", "username");
  }
  if ((await isBlockedBy(tx, followerId, followed.id)) || (await isBlockedBy(tx, followed.id, followerId))) {
    throw new Forbidden(`You cannot follow "${followed.name}": one of you blocked the other`);
  }
  await insertFollow(tx, followerId, followed.id);
}

/** No longer follows a user; nothing happens when they were not followed. */
export async function unfollowUser(work: Work, follower: NamedOwner, followed: NamedOwner): Promise<void> {
  await removeFollow(work.tx, follower.id, followed.id);
}
