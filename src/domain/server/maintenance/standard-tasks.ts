import { deleteOldDeadLetters } from "../../../queue/queries.ts";
import { deleteOldLoose } from "../../repos/attachments/queries.ts";
import { collectBlobs } from "../../git/blobs/collect-blobs.ts";
import { serverDoer } from "../../spine/doer.ts";
import type { Forge } from "../../spine/forge.ts";
import { cleanHooks } from "../../exchange/hooks/clean-hooks.ts";
import { requestLanguages } from "../../git/languages/count-languages.ts";
import { deleteReadNotifications } from "../../work/notifications/old-queries.ts";
import { keepMirrorJobs } from "../../exchange/mirrors/request-sync.ts";
import { deleteExpiredGranted } from "../../identity/oauth/queries.ts";
import { removeTakenOutboxRows, takeAllOutbox } from "../outbox/take-outbox.ts";
import { deleteDownloadDays } from "../../packages/download-queries.ts";
import { cleanPackages } from "../../packages/clean-packages.ts";
import { keepIndexes } from "../../packages/follow-packages.ts";
import { collectPacks } from "../../git/packs/collect-packs.ts";
import { recordUsageOfToday } from "../../identity/quota/history-queries.ts";
import { deleteExpiredSessions } from "../../identity/sessions/queries.ts";
import { deleteExpiredMailTokens } from "../../identity/users/email-queries.ts";
import { requestDueRepacks } from "./request-repacks.ts";

/** A task that the server runs every hour, and when an administrator asks for it. */
export interface RegularTask {
  /** Its name in the API. */
  readonly name: string;
  /** Answers how many of something were dealt with, for the log. */
  readonly run: (forge: Forge, signal: AbortSignal) => Promise<number>;
}

/** Long enough for somebody to find out why. */
const deadLetterDays = 30;

/** Pages draw a quarter of it. */
const downloadDays = 400;

/** The day so many days ago, UTC. */
const dayBefore = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);

/** The regular tasks of every server: they remove unreferenced files and expired rows, and repack. */
export const standardTasks: readonly RegularTask[] = [
  {
    name: "collect_packs",
    run: ({ database, files, log }, signal) => collectPacks(database.db, files.packDirectory, log, { signal }),
  },
  {
    name: "collect_blobs",
    run: ({ database, files, log }, signal) => collectBlobs(database.db, files.blobs, log, { signal }),
  },
  {
    name: "delete_expired",
    run: ({ change }) =>
      change(serverDoer("delete_expired"), async (work) => {
        await deleteExpiredSessions(work.tx);
        await deleteExpiredGranted(work.tx);
        await deleteOldLoose(work.tx);
        await deleteOldDeadLetters(work.tx, deadLetterDays);
        await deleteDownloadDays(work.tx, dayBefore(downloadDays));
        return deleteExpiredMailTokens(work.tx);
      }),
  },
  { name: "remove_delivered_events", run: removeDeliveredEvents },
  { name: "remove_read_notifications", run: removeReadNotifications },
  {
    name: "record_usage",
    run: ({ change }) => change(serverDoer("record_usage"), ({ tx }) => recordUsageOfToday(tx)),
  },
  { name: "clean_hooks", run: cleanHooks },
  { name: "cleanup_packages", run: (forge, signal) => cleanPackages(forge, signal) },
  { name: "keep_package_indexes", run: keepIndexes },
  { name: "count_languages", run: (forge) => requestLanguages(forge) },
  { name: "update_mirrors", run: ({ change }) => change(serverDoer("update_mirrors"), keepMirrorJobs) },
  { name: "repack_repositories", run: (forge) => requestDueRepacks(forge) },
];

/** Notifications that were read go after the days that the setting says; some at a time, to lock few. */
async function removeReadNotifications({ change, config }: Forge, signal: AbortSignal): Promise<number> {
  const days = config.notifications.keep_read_days;
  let removed = 0;
  for (let some = days === 0 ? 0 : 1; some > 0 && !signal.aborted; removed += some) {
    some = await change(serverDoer("remove_read_notifications"), ({ tx }) => deleteReadNotifications(tx, days));
  }
  return removed;
}

/** Rows of the outbox go when all receivers have taken them, after seven days at most; some at a time, to lock few. */
async function removeDeliveredEvents(forge: Forge, signal: AbortSignal): Promise<number> {
  const { change } = forge;
  await takeAllOutbox(forge, signal);
  let removed = 0;
  for (let some = 1; some > 0 && !signal.aborted; removed += some) {
    some = await change(serverDoer("remove_delivered_events"), removeTakenOutboxRows);
  }
  return removed;
}
