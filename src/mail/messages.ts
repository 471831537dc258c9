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

/**
 * Tells somebody that a webhook of theirs gets no more deliveries. `url`: where it leads; only the host is named, the
 * rest may be secret.
 */
export function hookPausedMail(
  { to, name, server }: Recipient,
  { id, url, place, hours }: { id: number; url: string; place: string; hours: number },
  home: string,
): Mail {
  const host = URL.canParse(url) ? new URL(url).host : "its receiver";
  return composeMail({
    to,
    subject: `A webhook of ${place} was switched off on ${server}`,
    before: [
      `Hello ${name},`,
      `webhook ${id} of ${place} could not be delivered to ${host} for ${hours} hours, so ${server} has switched it off. Nothing is sent to it any more.`,
      "The list of its deliveries in the API says what went wrong. Switch it on again when the receiver works.",
    ],
    link: { label: `Open ${server}`, url: home },
  });
}

/** Tells somebody that a repository that they wanted to have from elsewhere did not come. `address` has no credentials. */
export function migrationFailedMail(
  { to, name, server }: Recipient,
  { fullName, address, error }: { fullName: string; address: string; error: string },
  migrations: string,
): Mail {
  return composeMail({
    to,
    subject: `${fullName} could not be brought to ${server}`,
    before: [
      `Hello ${name},`,
      `the repository at ${address} was to be brought to ${server} as ${fullName}. That has failed, and nothing of it was kept:`,
      error,
    ],
    link: { label: "Your migrations", url: migrations },
  });
}

/** Tells somebody that a mirror has failed several times. `address` has no credentials. */
export function mirrorFailedMail(
  { to, name, server }: Recipient,
  { fullName, address, error, isPull }: { fullName: string; address: string; error: string; isPull: boolean },
  repository: string,
): Mail {
  return composeMail({
    to,
    subject: `A mirror of ${fullName} fails on ${server}`,
    before: [
      `Hello ${name},`,
      isPull
        ? `${fullName} follows the repository at ${address}, and could not be brought up to date several times:`
        : `the repository at ${address} follows ${fullName}, and could not be brought up to date several times:`,
      error,
      `${server} goes on trying, once a day at least.`,
    ],
    link: { label: `Open ${fullName}`, url: repository },
  });
}
