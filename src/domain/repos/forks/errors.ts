import { StithyError } from "../../../lib/errors.ts";

/** The repository is no fork, or what it is a fork of was deleted. */
export class NotAFork extends StithyError {
  constructor(name: string) {
    super("invalid", "not-a-fork", `"${name}" is not a fork`, { name });
  }
}

/** A branch of a fork has commits that its parent's has not, so that it cannot simply be moved to the parent's. */
export class Diverged extends StithyError {
  constructor(branch: string, parent: string) {
    super(
      "conflict",
      "fork-diverged",
      `The branch "${branch}" has commits that "${parent}" does not have; merge them with merge-upstream, or with git`,
      { branch },
    );
  }
}

/** The changes of the parent and of the fork conflict. */
export class UpstreamConflict extends StithyError {
  constructor(branch: string, parent: string, paths: readonly string[]) {
    const shown = paths.slice(0, 10).map((path) => `"${path.slice(0, 80)}"`);
    super(
      "conflict",
      "upstream-conflict",
      `"${parent}" cannot be merged into the branch "${branch}": both changed ${shown.join(", ")}${paths.length > shown.length ? " and more" : ""}; merge it with git`,
      { branch },
    );
  }
}
