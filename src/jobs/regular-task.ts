import { Type } from "typebox";
import { runRegularTask } from "../domain/server/maintenance/regular-tasks.ts";
import { administer, minuteMs, type Job } from "./job.ts";

const payload = Type.Object({ task: Type.String() });

declare module "../queue/job-kind.ts" {
  interface JobSchemas {
    "regular-task": typeof payload;
  }
}

/** Does a task of `domain/server/maintenance/standard-tasks.ts`, by its name. One at a time: none of them is in a hurry. */
export const regularTaskJob: Job<"regular-task"> = {
  payload,
  attempts: 3,
  timeLimitMs: 30 * minuteMs,
  concurrency: 1,
  may: () => administer,
  run: (forge, _doer, task, signal) => runRegularTask(forge, task, signal),
};
