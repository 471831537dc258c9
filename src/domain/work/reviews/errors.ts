import { InvalidInput, StithyError } from "../../../lib/errors.ts";

/** A pull request that is closed or merged takes no decision any more. */
export class PullClosed extends InvalidInput {
  constructor(number: number) {
    super(`Pull request #${number} is closed: only comments can be made on it`, "event");
  }
}

/** Reviews are not asked for when nothing is to be decided any more. */
export class NothingToReview extends StithyError {
  constructor(number: number) {
    super("forbidden", "nothing-to-review", `Pull request #${number} is closed: nobody can be asked to review it`, {
      number,
    });
  }
}
