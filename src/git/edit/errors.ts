import { StithyError } from "../../lib/errors.ts";

/** Why a change cannot be applied to the tree that it was made for. */
export type EditConflictReason =
  /** there is no file at the path */
  | "missing"
  /** a file is to be created where something is already */
  | "exists"
  /** the file is not the one that the caller last saw */
  | "changed"
  /** a file is in the way of a directory of the path, or a directory in the way of the file */
  | "file-directory";

/** A change does not fit the present content of the branch; nothing was written. */
export class EditConflict extends StithyError {
  constructor(
    readonly reason: EditConflictReason,
    readonly path: string,
    message: string,
  ) {
    super("conflict", "edit-conflict", message, { reason, path });
  }
}

/** A change that no tree could take: its path is not one, or the changes contradict each other. */
export class InvalidEdit extends StithyError {
  constructor(
    readonly path: string,
    message: string,
  ) {
    super("invalid", "invalid-edit", message, { path });
  }
}

/** One commit of several that follow each other cannot be made; none of them was written. */
export class CommitOfSeriesRefused extends StithyError {
  constructor(
    /** which one, from 0 */
    readonly index: number,
    cause: StithyError,
  ) {
    super("invalid", "commit-of-series-refused", cause.message, { index }, { cause });
  }
}
