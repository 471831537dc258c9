import { Type } from "typebox";
import { followMoves } from "../domain/work/references/follow-commits.ts";
import { followPull } from "../domain/work/references/follow-pull.ts";
import { readRepository, minuteMs, type Job } from "./job.ts";

const payload = Type.Union([
  Type.Object({
    about: Type.Literal("commits"),
    repositoryId: Type.Integer(),
    moves: Type.Array(
      Type.Object({ branch: Type.String(), old: Type.Union([Type.String(), Type.Null()]), new: Type.String() }),
    ),
  }),
  // `pusherId`: who merged it by a push, which the server found out; null: the doer of the job.
  Type.Object({
    about: Type.Literal("pull"),
    repositoryId: Type.Integer(),
    issueId: Type.Integer(),
    pusherId: Type.Union([Type.Integer(), Type.Null()]),
  }),
]);

declare module "../queue/job-kind.ts" {
  interface JobSchemas {
    references: typeof payload;
  }
}

/**
 * Reads what commits, or a pull request that was merged, say of issues: writes that into the timelines of these, and closes and reopens
 * them. `repositoryId` is where the branches moved, or the base.
 */
export const referencesJob: Job<"references"> = {
  payload,
  attempts: 5,
  // It waits for a repack, which has the same thread.
  timeLimitMs: 90 * minuteMs,
  concurrency: 2,
  may: ({ repositoryId }) => readRepository(repositoryId),
  run: (forge, doer, payload, signal) =>
    payload.about === "pull" ? followPull(forge, doer, payload, signal) : followMoves(forge, doer, payload, signal),
};
