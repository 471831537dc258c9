import { Type } from "typebox";
import { askCodeOwners } from "../domain/work/reviews/ask-code-owners.ts";
import { administer, minuteMs, type Job } from "./job.ts";

const payload = Type.Object({ issueId: Type.Integer() });

declare module "../queue/job-kind.ts" {
  interface JobSchemas {
    "code-owners": typeof payload;
  }
}

/** Asks the owners of the files that a pull request changes to review it. */
export const codeOwnersJob: Job<"code-owners"> = {
  payload,
  attempts: 5,
  timeLimitMs: 5 * minuteMs,
  concurrency: 2,
  may: () => administer,
  run: (forge, _doer, { issueId }) => askCodeOwners(forge, issueId),
};
