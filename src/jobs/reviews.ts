import { Type } from "typebox";
import { describePushes } from "../domain/work/pulls/describe-pushes.ts";
import { followPullHead } from "../domain/work/reviews/follow-pull.ts";
import { administer, minuteMs, type Job } from "./job.ts";

const payload = Type.Object({ issueId: Type.Integer() });

declare module "../queue/job-kind.ts" {
  interface JobSchemas {
    reviews: typeof payload;
  }
}

/** Does what has to follow for the reviews of a pull request when its head or its base is another one. */
export const reviewsJob: Job<"reviews"> = {
  payload,
  attempts: 5,
  timeLimitMs: 5 * minuteMs,
  concurrency: 2,
  may: () => administer,
  async run(forge, _doer, { issueId }, signal) {
    await describePushes(forge, issueId, signal);
    await followPullHead(forge, issueId, signal);
  },
};
