import type { EditConflict } from "../../../git/edit/errors.ts";
import { StithyError } from "../../../lib/errors.ts";
import { NotFound } from "../../spine/errors.ts";

/** A change of files does not fit what the branch holds: a file is there already, or is not the one that was expected. */
export class ContentMismatch extends StithyError {
  constructor(message: string, path: string, reason: string) {
    super("invalid", "content-mismatch", message, { path, reason });
  }
}

/** The branch moved again and again while a commit was made on it. */
export class BranchMoved extends StithyError {
  constructor(branch: string) {
    super("conflict", "branch-moved", `The branch "${branch}" kept moving while the commit was made; try again`, {
      branch,
    });
  }
}

/** Translates an error of the engine for the caller. */
export function editError({ reason, path, message }: EditConflict): StithyError {
  return reason === "missing" ? new NotFound("file", path) : new ContentMismatch(message, path, reason);
}
