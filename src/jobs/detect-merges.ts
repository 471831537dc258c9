import { Type } from "typebox";
import { detectMerges } from "../domain/work/merges/detect-merges.ts";
import { administer, minuteMs, type Job } from "./job.ts";

const payload = Type.Object({
  repositoryId: Type.Integer(),
  branch: Type.String(),
  from: Type.String(),
  to: Type.String(),
  pusherId: Type.Union([Type.Integer(), Type.Null()]),
});

declare module "../queue/job-kind.ts" {
  interface JobSchemas {
    "detect-merges": typeof payload;
  }
}

/** Looks which pull requests a push to their base has brought, and notes them as merged by hand. Oids are hexadecimal. */
export const detectMergesJob: Job<"detect-merges"> = {
  payload,
  attempts: 5,
  timeLimitMs: 10 * minuteMs,
  concurrency: 1,
  may: () => administer,
  run: (forge, _doer, push) => detectMerges(forge, push),
};
