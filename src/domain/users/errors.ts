import { StithyError } from "../../lib/errors.ts";

/** Somebody has shown the address to be theirs. */
export class EmailTaken extends StithyError {
  constructor(email: string) {
    super("email-taken", `The email "${email}" is in use already`, { email, field: "email" });
  }
}
