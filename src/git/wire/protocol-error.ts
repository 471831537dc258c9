import { StithyError } from "../../lib/errors.ts";

/**
 * The other side broke the git protocol or a limit of ours. The message is fit to be sent back (as an `ERR` packet or
 * on sideband 3).
 */
export class ProtocolError extends StithyError {
  constructor(message: string, data: Readonly<Record<string, unknown>> = {}) {
    super("malformed", "git-protocol", message, data);
  }
}
