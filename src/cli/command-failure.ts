import { StithyError } from "../lib/errors.ts";
import { exitCodes, type ExitCode } from "./exit-codes.ts";

/** A command cannot go on, for a reason that a person understands. */
export class CommandFailure extends StithyError {
  constructor(
    message: string,
    readonly exitCode: ExitCode = exitCodes.failed,
  ) {
    super("invalid", "command-failed", message);
  }
}
