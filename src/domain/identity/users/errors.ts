import { InvalidInput, StithyError } from "../../../lib/errors.ts";

/** Somebody has shown the address to be theirs. */
export class EmailTaken extends StithyError {
  constructor(email: string) {
    super("conflict", "email-taken", `The email "${email}" is in use already`, { email, field: "email" });
  }
}

/** A link of a mail that was used, has expired, or never was one. */
export class MailLinkInvalid extends StithyError {
  constructor() {
    super(
      "invalid",
      "mail-link-invalid",
      "The link does not work: it was used already, is too old, or is not complete",
    );
  }
}

/** Nobody would be left to administer the site. */
export function lastAdministrator(name: string, field: string): InvalidInput {
  return new InvalidInput(`"${name}" is the only site administrator who can sign in, and must stay one`, field);
}
