import { StithyError } from "../../../lib/errors.ts";

/** There is an open pull request of these two branches. */
export class PullExists extends StithyError {
  constructor(base: string, head: string, number: number | null) {
    const which = number === null ? "" : `: #${number}`;
    super("conflict", "pull-exists", `There is an open pull request from "${head}" to "${base}"${which}`, { number });
  }
}

/** A merged pull request stays merged. */
export class PullMerged extends StithyError {
  constructor(number: number) {
    super("conflict", "pull-merged", `Pull request #${number} was merged, which cannot be changed`, { number });
  }
}

/** A branch that a pull request needs is gone. */
export class PullBranchGone extends StithyError {
  constructor(number: number, branch: string) {
    super(
      "conflict",
      "pull-branch-gone",
      `The branch "${branch}" of pull request #${number} is gone; restore it first`,
      {
        number,
        branch,
      },
    );
  }
}
