import { Type } from "typebox";
import { tryScheduledMerge } from "../domain/work/merges/auto-merge.ts";
import { administer, minuteMs, type Job } from "./job.ts";

const payload = Type.Object({ pullId: Type.Integer() });

declare module "../queue/job-kind.ts" {
  interface JobSchemas {
    "auto-merge": typeof payload;
  }
}

/** Merges a pull request whose merge waits for its checks, if they have succeeded. */
export const autoMergeJob: Job<"auto-merge"> = {
  payload,
  attempts: 8,
  timeLimitMs: 10 * minuteMs,
  concurrency: 2,
  may: () => administer,
  run: (forge, _doer, { pullId }) => tryScheduledMerge(forge, pullId),
};
