import { StithyError } from "../../../lib/errors.ts";

/** A file or its name is not one that can be attached. */
export class InvalidAttachment extends StithyError {
  constructor(message: string) {
    super("invalid", "invalid-attachment", message);
  }
}
