import { StithyError } from "../../../lib/errors.ts";

/** The upload cannot be a picture. */
export class InvalidImage extends StithyError {
  constructor(message: string) {
    super("invalid", "invalid-image", message, { field: "image" });
  }
}
