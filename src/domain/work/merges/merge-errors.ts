import { StithyError } from "../../../lib/errors.ts";

/**
 * A pull request cannot be merged, or not by this caller: the message says why. Nothing was changed. `lasting`: waiting for checks and
 * reviews changes nothing about it.
 */
export class MergeRefused extends StithyError {
  constructor(
    reason: string,
    readonly lasting = false,
  ) {
    super("conflict", "merge-refused", reason);
  }
}

/** The pull request has changed since the caller looked at it. Nothing was changed. */
export class MergeOvertaken extends StithyError {
  constructor(message: string) {
    super("conflict", "merge-overtaken", message);
  }
}

/** The merge of a pull request waits for its checks already. */
export class MergeScheduled extends StithyError {
  constructor(number: number) {
    super("conflict", "merge-scheduled", `The merge of pull request #${number} waits for its checks already`, {
      number,
    });
  }
}
