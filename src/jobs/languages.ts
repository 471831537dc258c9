import { Type } from "typebox";
import { countLanguages } from "../domain/git/languages/count-languages.ts";
import { administer, minuteMs, type Job } from "./job.ts";

const payload = Type.Object({ repositoryId: Type.Integer() });

declare module "../queue/job-kind.ts" {
  interface JobSchemas {
    languages: typeof payload;
  }
}

/** Counts the languages of a repository's default branch. */
export const languagesJob: Job<"languages"> = {
  payload,
  // The hourly look over all asks again.
  attempts: 2,
  // It waits for a repack, which has the same thread and may take an hour.
  timeLimitMs: 90 * minuteMs,
  concurrency: 1,
  may: () => administer,
  run: (forge, _doer, { repositoryId }, signal) => countLanguages(forge, repositoryId, signal),
};
