import { Type } from "typebox";
import { refreshPulls } from "../domain/work/pulls/refresh-pull.ts";
import { administer, minuteMs, type Job } from "./job.ts";

const payload = Type.Object({ repositoryId: Type.Integer() });

declare module "../queue/job-kind.ts" {
  interface JobSchemas {
    pulls: typeof payload;
  }
}

/** Works out whether the stale pull requests of a repository can be merged, and what is in them. */
export const pullsJob: Job<"pulls"> = {
  payload,
  // A reader of one of them has it worked out, too.
  attempts: 5,
  timeLimitMs: 30 * minuteMs,
  concurrency: 1,
  may: () => administer,
  run: (forge, _doer, { repositoryId }, signal) => refreshPulls(forge, repositoryId, signal),
};
