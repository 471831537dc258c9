import { StithyError } from "../../lib/errors.ts";

/** A patch cannot be read, or does not fit the files that it is for. `path` is the file's, null where it is about none. */
export class PatchRefused extends StithyError {
  constructor(message: string, path: string | null) {
    super("invalid", "patch-refused", message, { path });
  }
}
