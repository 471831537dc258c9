import { StithyError } from "../../lib/errors.ts";

/** A file is no package of the format. The message says what is wrong with it. */
export class BadPackage extends StithyError {
  constructor(message: string, options?: ErrorOptions) {
    super("malformed", "bad-package", message, {}, options);
  }
}
