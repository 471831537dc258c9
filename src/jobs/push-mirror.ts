import { Type } from "typebox";
import { syncPushMirror } from "../domain/exchange/mirrors/sync-push-mirror.ts";
import { administer, elsewhere, minuteMs, type Job } from "./job.ts";

const payload = Type.Object({ mirrorId: Type.Integer() });

declare module "../queue/job-kind.ts" {
  interface JobSchemas {
    "push-mirror": typeof payload;
  }
}

/** Brings a repository elsewhere to where one of this server is. */
export const pushMirrorJob: Job<"push-mirror"> = {
  payload,
  // A sync enqueues its next try itself: the attempts are for servers that are killed meanwhile.
  attempts: 25,
  timeLimitMs: 120 * minuteMs,
  ...elsewhere,
  may: () => administer,
  run: (forge, _doer, { mirrorId }, signal) => syncPushMirror(forge, mirrorId, signal),
};
