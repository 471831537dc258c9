import { Type } from "typebox";
import { syncPullMirror } from "../domain/exchange/mirrors/sync-pull-mirror.ts";
import { administer, elsewhere, minuteMs, type Job } from "./job.ts";

const payload = Type.Object({ repositoryId: Type.Integer() });

declare module "../queue/job-kind.ts" {
  interface JobSchemas {
    "pull-mirror": typeof payload;
  }
}

/** Brings a pull mirror to where the repository is that it follows. */
export const pullMirrorJob: Job<"pull-mirror"> = {
  payload,
  // A sync enqueues its next try itself: the attempts are for servers that are killed meanwhile.
  attempts: 25,
  timeLimitMs: 120 * minuteMs,
  ...elsewhere,
  may: () => administer,
  run: (forge, _doer, { repositoryId }, signal) => syncPullMirror(forge, repositoryId, signal),
};
