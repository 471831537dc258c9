import { newJob } from "../../../queue/enqueue.ts";
import { findManagers } from "../../identity/owners/manager-queries.ts";
import type { Work } from "../../spine/work.ts";

/** Failures in a row of which the owner hears: a server elsewhere may be restarted in between. */
const toldAfter = 3;
/** The most people who are told. */
const mostTold = 20;

/** Tells those who answer for a mirror that it fails, once in a row of failures, if the server sends mail. `pushMirrorId` null: the pull mirror. */
export async function tellFailure(
  work: Work,
  mirror: { repositoryId: number; pushMirrorId: number | null },
  failures: number | undefined,
): Promise<void> {
  if (failures !== toldAfter || work.config.mail.smtp_host === "") {
    return;
  }
  for (const userId of await findManagers(work.tx, { repositoryId: mirror.repositoryId, ownerId: null }, mostTold)) {
    await work.enqueueForServer("mirror", newJob("mail", { about: "mirror-failed", userId, ...mirror }));
  }
}
