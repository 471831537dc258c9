import type { Job } from "../job/job.ts";

/** Does work in steps at once: an indexing worker does one thing at a time. Throws EngineCancelled when nobody waits for it. */
export function finishSteps<Result>(steps: Generator<void, Result>, job: Job): Result {
  for (;;) {
    const step = steps.next();
    if (step.done === true) {
      return step.value;
    }
    job.throwIfCancelled();
  }
}
