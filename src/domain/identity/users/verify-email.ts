import type { Transaction } from "../../../db/client.ts";
import { violatesUnique } from "../../../db/pg-errors.ts";
import { NotFound } from "../../spine/errors.ts";
import { checkEmail } from "../owners/names.ts";
import {
  deleteResetTokens,
  findEmail,
  insertEmails,
  listUserEmails,
  markPrimary,
  markVerified,
  type EmailRow,
} from "./email-queries.ts";
import { lockAccount } from "../../spine/lock-queries.ts";
import { EmailTaken, MailLinkInvalid } from "./errors.ts";
import { useMailToken } from "./mail-token.ts";
import type { Work } from "../../spine/work.ts";
import type { NamedOwner } from "../../spine/events/names.ts";

async function verify(tx: Transaction, row: EmailRow): Promise<void> {
  try {
    await markVerified(tx, row.id);
  } catch (error) {
    throw violatesUnique(error, "email_address_verified") ? new EmailTaken(row.email) : error;
  }
}

/**
 * Uses the token of a mail: the address that it was sent to is its user's. Answers the address. Throws MailLinkInvalid,
 * and EmailTaken when another user has shown it to be theirs in the meantime.
 */
export async function verifyEmail(work: Work, token: string): Promise<EmailRow> {
  const { tx } = work;
  const { emailId } = await useMailToken(tx, "verify-email", token);
  const row = emailId === null ? null : await findEmail(tx, emailId);
  if (row === null) {
    throw new MailLinkInvalid();
  }
  await verify(tx, row);
  return { ...row, verified: true };
}

/** An administrator vouches for an address of a user. Throws NotFound when the user has no such address; EmailTaken. */
export async function vouchForEmail(work: Work, user: { id: number; name: string }, email: string): Promise<void> {
  const { tx } = work;
  await lockAccount(tx, user.id);
  const row = (await listUserEmails(tx, user.id)).find(({ lowerEmail }) => lowerEmail === email.toLowerCase());
  if (row === undefined) {
    throw new NotFound(`e-mail address of ${user.name}`, email);
  }
  await verify(tx, row);
}

/**
 * An administrator gives a user their primary address, which is new or one that they have, and vouches for it. The one
 * before stays among the user's addresses. Throws InvalidInput, EmailTaken.
 */
export async function setPrimaryEmail(work: Work, user: NamedOwner, email: string): Promise<void> {
  const { tx } = work;
  const { id: userId } = user;
  checkEmail(email);
  await lockAccount(tx, userId);
  const mine = await listUserEmails(tx, userId);
  const known = mine.find(({ lowerEmail }) => lowerEmail === email.toLowerCase());
  try {
    const [row] = known === undefined ? await insertEmails(tx, userId, [email], true) : [known];
    if (row !== undefined) {
      await markVerified(tx, row.id);
      await markPrimary(tx, row);
      await deleteResetTokens(tx, userId);
    }
  } catch (error) {
    throw violatesUnique(error, "email_address_verified") ? new EmailTaken(email) : error;
  }
}
