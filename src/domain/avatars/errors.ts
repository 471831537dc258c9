import { StithyError } from "../../lib/errors.ts";

/** What was uploaded cannot be somebody's picture. */
export class InvalidImage extends StithyError {
  constructor(message: string) {
    super("invalid", "invalid-image", message, { field: "image" });
  }
}
