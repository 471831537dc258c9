import { demandTo } from "../domain/access/guard.ts";
import { permitOn, permitOnId, type Permit } from "../domain/access/permit.ts";
import { countLanguages } from "../domain/languages/count-languages.ts";
import { requestAllRegularTasks, runRegularTask } from "../domain/maintenance/regular-tasks.ts";
import { repackRepository } from "../domain/maintenance/repack-repository.ts";
import { deliverIssueMail } from "../domain/issue-mail/deliver.ts";
import { findReaders } from "../domain/issue-mail/find-readers.ts";
import { notifyMany } from "../domain/notifications/notify.ts";
import { followMoves } from "../domain/references/follow-commits.ts";
import { followPull } from "../domain/references/follow-pull.ts";
import { refreshPulls } from "../domain/pulls/refresh-pull.ts";
import { askCodeOwners } from "../domain/reviews/ask-code-owners.ts";
import { describePushes } from "../domain/pulls/describe-pushes.ts";
import { followPullHead } from "../domain/reviews/follow-pull.ts";
import { runMigration } from "../domain/migrations/run-migration.ts";
import { syncPullMirror } from "../domain/mirrors/sync-pull-mirror.ts";
import { syncPushMirror } from "../domain/mirrors/sync-push-mirror.ts";
import { deliverMail } from "../domain/users/deliver-mail.ts";
import { tryScheduledMerge } from "../domain/merges/auto-merge.ts";
import { detectMerges } from "../domain/merges/detect-merges.ts";
import { MailRefused } from "../mail/mailer.ts";
import { JobFailedForGood } from "../queue/errors.ts";
import {
  codeOwnersJob,
  autoMergeJob,
  detectMergesJob,
  everyHourJob,
  issueMailJob,
  issueMailsJob,
  languagesJob,
  mailJob,
  notifyJob,
  pullsJob,
  referencesJob,
  regularTaskJob,
  repackJob,
  reviewsJob,
  pullMirrorJob,
  pushMirrorJob,
  migrationJob,
  packageIndexJob,
} from "../queue/kinds.ts";
import { jobHandler, type JobHandler } from "./perform-job.ts";

/** What only the server and its administrators have done. */
const administer = permitOn(demandTo({ on: "instance", do: "administer" }, "write", ["admin"], { signedIn: true }), {});
/** What whoever pushes or merges may do already: what they may do to each issue is decided when that is done. */
const readRepository = (repositoryId: number): Permit => {
  const may = { on: "repository", do: "read", unit: "any" } as const;
  const demand = demandTo(may, "write", [], { signedIn: true, onArchived: "allowed" });
  return permitOnId(demand, repositoryId, String(repositoryId));
};
const actAsSelf = permitOn(demandTo({ on: "account", do: "act-as-self" }, "write", ["user"], { signedIn: true }), {});

/** Has a mail sent. One that the mail server refuses for good is not tried again. */
async function sendOnce(send: () => Promise<boolean>): Promise<boolean> {
  try {
    return await send();
  } catch (error) {
    throw error instanceof MailRefused ? new JobFailedForGood(error.message, { cause: error }) : error;
  }
}

/** Who does the jobs of each kind, listed by hand. */
export const jobHandlers: readonly JobHandler[] = [
  jobHandler({
    kind: mailJob,
    may: ({ about }) => (about === "verify-email" || about === "reset-password" ? actAsSelf : administer),
    async run(forge, _doer, payload) {
      const sent = await sendOnce(() => deliverMail(forge, payload));
      forge.log.debug({ about: payload.about }, sent ? "Sent a mail" : "A mail was not needed any more");
    },
  }),
  jobHandler({
    kind: issueMailsJob,
    may: () => administer,
    run: (forge, doer, payload) => findReaders(forge, doer, payload),
  }),
  jobHandler({
    kind: issueMailJob,
    may: () => administer,
    async run(forge, _doer, payload, signal) {
      const { about } = payload;
      const sent = await sendOnce(() => deliverIssueMail(forge, payload, signal));
      forge.log.debug({ about }, sent ? "Sent a mail" : "A mail was not needed any more");
    },
  }),
  jobHandler({
    kind: autoMergeJob,
    may: () => administer,
    run: (forge, _doer, { pullId }) => tryScheduledMerge(forge, pullId),
  }),
  jobHandler({
    kind: detectMergesJob,
    may: () => administer,
    run: (forge, _doer, push) => detectMerges(forge, push),
  }),
  jobHandler({
    kind: everyHourJob,
    may: () => administer,
    run: (forge, doer) => forge.change(doer, requestAllRegularTasks),
  }),
  jobHandler({
    kind: regularTaskJob,
    may: () => administer,
    run: (forge, _doer, payload, signal) => runRegularTask(forge, payload, signal),
  }),
  jobHandler({
    kind: languagesJob,
    may: () => administer,
    run: (forge, _doer, { repositoryId }, signal) => countLanguages(forge, repositoryId, signal),
  }),
  jobHandler({
    kind: notifyJob,
    may: () => administer,
    run: (forge, doer, payload, signal) => notifyMany(forge, doer, payload, signal),
  }),
  jobHandler({
    kind: referencesJob,
    may: ({ repositoryId }) => readRepository(repositoryId),
    run: (forge, doer, payload, signal) =>
      payload.about === "pull" ? followPull(forge, doer, payload, signal) : followMoves(forge, doer, payload, signal),
  }),
  jobHandler({
    kind: pullsJob,
    may: () => administer,
    run: (forge, _doer, { repositoryId }, signal) => refreshPulls(forge, repositoryId, signal),
  }),
  jobHandler({
    kind: reviewsJob,
    may: () => administer,
    run: async (forge, _doer, { issueId }, signal) => {
      await describePushes(forge, issueId, signal);
      await followPullHead(forge, issueId, signal);
    },
  }),
  jobHandler({
    kind: codeOwnersJob,
    may: () => administer,
    run: (forge, _doer, { issueId }) => askCodeOwners(forge, issueId),
  }),
  jobHandler({
    kind: pullMirrorJob,
    may: () => administer,
    run: (forge, _doer, { repositoryId }, signal) => syncPullMirror(forge, repositoryId, signal),
  }),
  jobHandler({
    kind: pushMirrorJob,
    may: () => administer,
    run: (forge, _doer, { mirrorId }, signal) => syncPushMirror(forge, mirrorId, signal),
  }),
  jobHandler({
    kind: migrationJob,
    may: () => administer,
    run: (forge, _doer, { migrationId }, signal) => runMigration(forge, migrationId, signal),
  }),
  jobHandler({
    kind: packageIndexJob,
    may: () => administer,
    run: (forge, _doer, index) => forge.packageIndexes.publish(index),
  }),
  jobHandler({
    kind: repackJob,
    may: () => administer,
    async run({ change, config, database, files, git, log }, _doer, { repositoryId }, signal) {
      if (!files.room.hasRoom()) {
        // A repack needs as much room again; the hourly look asks for it again.
        return;
      }
      const started = performance.now();
      const maintenance = { db: database.db, change, config, git: git.engine, ...files };
      const done = await repackRepository(maintenance, { repositoryId, kind: "due", signal });
      if (done !== null) {
        const { before, after, dropped } = done;
        const ms = Math.round(performance.now() - started);
        log.info(
          { repository: repositoryId, packsBefore: before.length, packsMade: after.length, dropped, ms },
          "Repacked",
        );
      }
    },
  }),
];
