import { StithyError } from "../../../lib/errors.ts";

/** The conversation is locked: only those may go on with it who may write issues or pull requests. */
export class IssueLocked extends StithyError {
  constructor(number: number) {
    super("forbidden", "issue-locked", `The conversation of #${number} is locked: only those with write access go on`, {
      number,
    });
  }
}
