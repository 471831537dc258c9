import { StithyError } from "../../lib/errors.ts";

/**
 * What the other side sent breaks the git protocol, or a bound we put on it.
 * The message is fit to be sent back (as an `ERR` packet or on sideband 3).
 */
export class ProtocolError extends StithyError {
  constructor(message: string, data: Readonly<Record<string, unknown>> = {}) {
    super("malformed", "git-protocol", message, data);
  }
}
