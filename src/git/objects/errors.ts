import { StithyError } from "../../lib/errors.ts";

/** The content of an object does not have the form that its type demands. */
export class CorruptObject extends StithyError {
  constructor(message: string) {
    super("fault", "corrupt-object", message);
  }
}
