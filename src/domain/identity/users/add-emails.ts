import type { Transaction } from "../../../db/client.ts";
import { violatesUnique } from "../../../db/pg-errors.ts";
import { InvalidInput } from "../../../lib/errors.ts";
import { newJob } from "../../../queue/enqueue.ts";
import { DeletedMeanwhile } from "../../spine/errors.ts";
import type { Doer } from "../../spine/doer.ts";
import type { Forge } from "../../spine/forge.ts";
import { checkEmail } from "../owners/names.ts";
import { findVerified, insertEmails, listUserEmails, type EmailRow } from "./email-queries.ts";
import { lockAccount } from "../../spine/lock-queries.ts";
import { EmailTaken } from "./errors.ts";
import type { NamedOwner } from "../../spine/events/names.ts";

/**
 * Gives a user more addresses, all or none. They are not verified: with a mail server, each is sent a link that does it;
 * without one, an administrator does. Throws InvalidInput, EmailTaken, TooManyMails, and DeletedMeanwhile.
 */
export async function addEmails(
  forge: Forge,
  doer: Doer,
  user: NamedOwner,
  emails: readonly string[],
): Promise<EmailRow[]> {
  if (emails.length === 0) {
    throw new InvalidInput("emails must name at least one address", "emails");
  }
  emails.forEach((email) => checkEmail(email, "emails"));
  const { config, mail } = forge;
  return forge.change(doer, async (work) => {
    const rows = await insert(work.tx, user, emails, config.users.emails);
    if (mail.mailer.configured) {
      mail.allowance.take(user.id, rows.length);
      for (const { id } of rows) {
        await work.enqueue(newJob("mail", { about: "verify-email", emailId: id }));
      }
    }
    return rows;
  });
}

async function insert(
  tx: Transaction,
  user: { id: number; name: string },
  emails: readonly string[],
  most: number,
): Promise<EmailRow[]> {
  if (!(await lockAccount(tx, user.id))) {
    throw new DeletedMeanwhile("user", user.name);
  }
  const mine = await listUserEmails(tx, user.id);
  const known = new Set(mine.map(({ lowerEmail }) => lowerEmail));
  for (const email of emails) {
    if (known.has(email.toLowerCase())) {
      throw new EmailTaken(email);
    }
    known.add(email.toLowerCase());
  }
  const [taken] = await findVerified(tx, emails);
  if (taken !== undefined) {
    throw new EmailTaken(taken);
  }
  if (known.size > most) {
    throw new InvalidInput(`A user can have at most ${most} e-mail addresses`, "emails");
  }
  try {
    return await insertEmails(tx, user.id, emails, false);
  } catch (error) {
    throw violatesUnique(error, "email_address_user_email") ? new EmailTaken(emails[0] ?? "") : error;
  }
}
