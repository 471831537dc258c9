import { StithyError } from "../lib/errors.ts";

/** A job that would fail the same way each time: it is not tried again, and stays as a dead letter. */
export class JobFailedForGood extends StithyError {
  constructor(message: string, options?: ErrorOptions) {
    super("fault", "job-failed-for-good", message, {}, options);
  }
}

/** A job took longer than its kind may. */
export class JobOverdue extends StithyError {
  constructor(name: string, timeLimitMs: number) {
    super("too-slow", "job-overdue", `The job took longer than ${timeLimitMs / 1000} seconds`, { name, timeLimitMs });
  }
}
