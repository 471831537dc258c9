import type { JobName } from "../queue/job-kind.ts";
import { autoMergeJob } from "./auto-merge.ts";
import { codeOwnersJob } from "./code-owners.ts";
import { detectMergesJob } from "./detect-merges.ts";
import { everyHourJob } from "./every-hour.ts";
import { issueMailJob } from "./issue-mail.ts";
import { issueMailsJob } from "./issue-mails.ts";
import type { Job } from "./job.ts";
import { languagesJob } from "./languages.ts";
import { mailJob } from "./mail.ts";
import { migrationJob } from "./migration.ts";
import { notifyJob } from "./notify.ts";
import { packageIndexJob } from "./package-index.ts";
import { pullMirrorJob } from "./pull-mirror.ts";
import { pullsJob } from "./pulls.ts";
import { pushMirrorJob } from "./push-mirror.ts";
import { referencesJob } from "./references.ts";
import { regularTaskJob } from "./regular-task.ts";
import { repackJob } from "./repack.ts";
import { reviewsJob } from "./reviews.ts";

/** Every kind of job, listed by hand. The names are stored with jobs: never changed once released. */
export const jobs: { readonly [Kind in JobName]: Job<Kind> } = {
  "auto-merge": autoMergeJob,
  "code-owners": codeOwnersJob,
  "detect-merges": detectMergesJob,
  "every-hour": everyHourJob,
  "issue-mail": issueMailJob,
  "issue-mails": issueMailsJob,
  languages: languagesJob,
  mail: mailJob,
  migration: migrationJob,
  notify: notifyJob,
  "package-index": packageIndexJob,
  "pull-mirror": pullMirrorJob,
  pulls: pullsJob,
  "push-mirror": pushMirrorJob,
  references: referencesJob,
  "regular-task": regularTaskJob,
  repack: repackJob,
  reviews: reviewsJob,
};
