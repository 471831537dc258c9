import { isPublicOnly, isRestricted } from "../../../auth/authorize.ts";
import type { OwnerRow } from "../../../auth/subject.ts";
import type { Transaction } from "../../../db/client.ts";
import type { Doer } from "../../spine/doer.ts";
import { Forbidden } from "../../spine/errors.ts";
import { isBlockedBy } from "../../identity/social/queries.ts";

/** Throws Forbidden for a token that could not have made the repository where it goes. */
export function checkTransferToken(doer: Doer, recipient: OwnerRow): void {
  if (doer.kind !== "user") {
    return;
  }
  if (isRestricted(doer.credential)) {
    throw new Forbidden("The token is restricted to repositories and cannot give one another owner");
  }
  if (isPublicOnly(doer.credential) && recipient.visibility !== "public") {
    throw new Forbidden("The token is for public repositories only and cannot make one that is not");
  }
}

/** Throws Forbidden when one of them keeps the recipient away, or the recipient them. */
export async function checkNotBlocked(
  tx: Transaction,
  recipient: OwnerRow,
  others: readonly { id: number }[],
): Promise<void> {
  for (const { id } of others) {
    if ((await isBlockedBy(tx, id, recipient.id)) || (await isBlockedBy(tx, recipient.id, id))) {
      throw new Forbidden(`"${recipient.name}" cannot get the repository: one of you blocked the other`);
    }
  }
}
