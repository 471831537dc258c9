import { Type } from "typebox";
import { minuteOfTheHour, requestAllRegularTasks } from "../domain/server/maintenance/regular-tasks.ts";
import { administer, minuteMs, type Job } from "./job.ts";

const payload = Type.Object({});

declare module "../queue/job-kind.ts" {
  interface JobSchemas {
    "every-hour": typeof payload;
  }
}

/** Enqueues all regular tasks. */
export const everyHourJob: Job<"every-hour"> = {
  payload,
  attempts: 3,
  timeLimitMs: minuteMs,
  concurrency: 1,
  schedule: { everySeconds: 3600, offsetSeconds: minuteOfTheHour * 60 },
  may: () => administer,
  run: (forge, doer) => forge.change(doer, requestAllRegularTasks),
};
