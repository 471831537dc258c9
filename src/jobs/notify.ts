import { Type } from "typebox";
import { notifyMany } from "../domain/work/notifications/notify.ts";
import { administer, minuteMs, type Job } from "./job.ts";

const payload = Type.Object({ issueId: Type.Integer(), doerId: Type.Union([Type.Integer(), Type.Null()]) });

declare module "../queue/job-kind.ts" {
  interface JobSchemas {
    notify: typeof payload;
  }
}

/** Tells many users of something that happened to an issue. `doerId`: who did it, and hears nothing of it. */
export const notifyJob: Job<"notify"> = {
  payload,
  attempts: 5,
  timeLimitMs: 10 * minuteMs,
  concurrency: 2,
  each: 1,
  may: () => administer,
  run: notifyMany,
};
