import { StithyError } from "../../lib/errors.ts";

/** A filter would make more work than one request may. */
export class FilterTooCostly extends StithyError {
  constructor(reason: string) {
    super("invalid", "filter-too-costly", `The filter cannot be applied to this repository: ${reason}`);
  }
}
