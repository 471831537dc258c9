import type { OwnerRow } from "../../auth/subject.ts";
import type { Transaction } from "../../db/client.ts";
import { InvalidInput } from "../../lib/errors.ts";
import { findMembership } from "../orgs/queries.ts";
import { insertBlock } from "./queries.ts";

/** Keeps a user away from what is the blocker's. Throws InvalidInput for oneself and for members of the organization that blocks. */
export async function blockUser(tx: Transaction, blocker: OwnerRow, blocked: OwnerRow): Promise<void> {
  if (blocker.id === blocked.id) {
    throw new InvalidInput("Nobody can block themselves", "username");
  }
  if (blocker.kind === "organization" && (await findMembership(tx, blocker.id, blocked.id)).mode !== null) {
    throw new InvalidInput(`"${blocked.name}" is a member of "${blocker.name}" and cannot be blocked by it`, "username");
  }
  await insertBlock(tx, blocker.id, blocked.id);
}
