import { Type } from "typebox";
import { packageTypes } from "../db/schema/packages.ts";
import { choice } from "../lib/schema.ts";
import { administer, minuteMs, type Job } from "./job.ts";

const payload = Type.Object({ ownerId: Type.Integer(), type: choice(packageTypes), name: Type.String() });

declare module "../queue/job-kind.ts" {
  interface JobSchemas {
    "package-index": typeof payload;
  }
}

/** Publishes an index of a registry of packages, if it is not what is wanted. */
export const packageIndexJob: Job<"package-index"> = {
  payload,
  attempts: 10,
  timeLimitMs: 30 * minuteMs,
  concurrency: 2,
  may: () => administer,
  run: (forge, _doer, index) => forge.packageIndexes.publish(index),
};
