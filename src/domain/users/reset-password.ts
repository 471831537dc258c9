import type { Transaction } from "../../db/client.ts";
import { resetPasswordMail } from "../../mail/messages.ts";
import type { Forge } from "../forge.ts";
import { checkPassword } from "./check-password.ts";
import { createMailToken, useMailToken } from "./mail-token.ts";
import { countResets, findResetRecipient } from "./reset-queries.ts";
import { replacePassword } from "./set-password.ts";

/** Nobody can have somebody's mailbox filled. */
const mostLinks = 3;
const perMinutes = 15;

/** Sends somebody a link with which they choose a new password. For nobody, and without a mail server, nothing happens. */
export async function requestPasswordReset({ database, mailer, addresses, config }: Forge, nameOrEmail: string): Promise<void> {
  const recipient = nameOrEmail.includes("\0") ? null : await findResetRecipient(database.db, nameOrEmail);
  if (recipient === null || !mailer.configured || (await countResets(database.db, recipient.userId, perMinutes)) >= mostLinks) {
    return;
  }
  const { userId, name, email } = recipient;
  const hours = config.mail.link_lifetime_hours;
  const token = await database.db.transaction((tx) => createMailToken(tx, { purpose: "reset-password", userId, emailId: null }, hours));
  mailer.send(resetPasswordMail({ to: email, name, server: addresses.hostname }, addresses.resetPassword(token), hours));
}

/**
 * Uses the token of a mail: its user has this password from now on, and all their sessions end. A second factor stays.
 * Throws InvalidInput, which leaves the token as it was, and MailLinkInvalid.
 */
export async function resetPassword(tx: Transaction, token: string, password: string, passwordMinimum: number): Promise<void> {
  checkPassword(password, passwordMinimum);
  const { userId } = await useMailToken(tx, "reset-password", token);
  await replacePassword(tx, userId, password, false);
}
