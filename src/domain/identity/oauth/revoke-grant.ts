import type { Work } from "../../spine/work.ts";
import { deleteGrant } from "./queries.ts";

/** Ends what a user granted to an application, with every token of it. Of another user's grant, and of none, nothing happens. */
export async function revokeGrant(work: Work, userId: number, grantId: number): Promise<void> {
  await deleteGrant(work.tx, userId, grantId);
}
