import { composeMail } from "./compose-mail.ts";
import type { Mail } from "./mailer.ts";

interface Recipient {
  to: string;
  /** The user's name here. */
  name: string;
  /** The host name of this server, by which people know it. */
  server: string;
}

/** Asks whether an address is its user's. The link shows that who has it reads mail there. */
export function verifyEmailMail({ to, name, server }: Recipient, url: string, hours: number): Mail {
  return composeMail({
    to,
    subject: `Confirm your e-mail address on ${server}`,
    before: [
      `Hello ${name},`,
      `this address was added to your account on ${server}. Open this link to confirm that it is yours:`,
    ],
    link: { label: "Confirm the address", url },
    after: [
      `The link works for ${hours} hours. If you have no such account, do nothing: the address stays unconfirmed.`,
    ],
  });
}

/** Tells somebody that an administrator made an account for them. */
export function accountCreatedMail({ to, name, server }: Recipient, url: string): Mail {
  return composeMail({
    to,
    subject: `Your account on ${server}`,
    before: [
      `Hello ${name},`,
      `an administrator made an account for you on ${server}. Your user name is ${name}; the administrator tells you the password.`,
    ],
    link: { label: `Open ${server}`, url },
  });
}

/** Leads somebody who forgot their password to a new one. */
export function resetPasswordMail({ to, name, server }: Recipient, url: string, hours: number): Mail {
  return composeMail({
    to,
    subject: `A new password for ${server}`,
    before: [
      `Hello ${name},`,
      `somebody asked for a new password for your account on ${server}. Open this link to choose one:`,
    ],
    link: { label: "Choose a new password", url },
    after: [
      `The link works once, for ${hours} hours. If it was not you who asked, do nothing: your password stays as it is.`,
    ],
  });
}
