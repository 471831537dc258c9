import type { OwnerRow } from "../../auth/subject.ts";
import type { Transaction } from "../../db/client.ts";
import { InvalidInput } from "../../lib/errors.ts";
import { Forbidden } from "../errors.ts";
import { insertFollow, isBlockedBy } from "./queries.ts";

/** Lets a user follow another. Throws InvalidInput for oneself, Forbidden when one of the two blocked the other. */
export async function followUser(tx: Transaction, followerId: number, followed: OwnerRow): Promise<void> {
  if (followed.id === followerId) {
    throw new InvalidInput("Nobody can follow themselves", "username");
  }
  if ((await isBlockedBy(tx, followerId, followed.id)) || (await isBlockedBy(tx, followed.id, followerId))) {
    throw new Forbidden(`You cannot follow "${followed.name}": one of you blocked the other`);
  }
  await insertFollow(tx, followerId, followed.id);
}
