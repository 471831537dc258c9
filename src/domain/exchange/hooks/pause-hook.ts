import { newJob } from "../../../queue/enqueue.ts";
import type { Work } from "../../spine/work.ts";
import { failWaitingDeliveries } from "./sending-queries.ts";
import { findManagers } from "../../identity/owners/manager-queries.ts";
import { updateHook, type HookRow } from "./queries.ts";

/** The most people who are told. */
const mostTold = 20;

/** Switches off a hook that has failed for too long. What waited for it is not sent any more, and its owner hears of it by mail, if the server sends any. */
export async function pauseHook(work: Work, hook: HookRow): Promise<void> {
  await failWaitingDeliveries(work.tx, hook.id, "The webhook was switched off because it had failed for too long");
  await updateHook(work.tx, hook.id, { active: false, failingSince: null, pausedAt: new Date(), nextAt: null });
  if (work.config.mail.smtp_host === "") {
    return;
  }
  for (const userId of await findManagers(work.tx, hook, mostTold)) {
    await work.enqueueForServer("webhooks", newJob("mail", { about: "hook-paused", userId, hookId: hook.id }));
  }
}
