import type { Static } from "typebox";
import { hashToken } from "../../auth/access-token.ts";
import type { Mail } from "../../mail/mailer.ts";
import { accountCreatedMail, hookPausedMail, resetPasswordMail, verifyEmailMail } from "../../mail/messages.ts";
import type { mailJob } from "../../queue/kinds.ts";
import { serverDoer } from "../doer.ts";
import type { Forge } from "../forge.ts";
import { findHookNames } from "../hooks/manager-queries.ts";
import { deleteMailToken, findEmail, type MailTokenPurpose } from "./email-queries.ts";
import { createMailToken } from "./mail-token.ts";
import { findMailRecipient } from "./queries.ts";
import { countResets, findResetRecipient } from "./reset-queries.ts";

type MailRequest = Static<typeof mailJob.payload>;

/** Nobody can have somebody's mailbox filled. */
const maxResetLinks = 3;
const perMinutes = 15;

/**
 * Writes a mail as things are now, and sends it; false when there is no reason for it any more: the address is gone or
 * verified, the account may not sign in, or was sent enough of these links. Throws what Mailer.send throws; then the token
 * of the mail's link opens nothing.
 */
export async function deliverMail(forge: Forge, request: MailRequest): Promise<boolean> {
  switch (request.about) {
    case "verify-email":
      return deliverVerification(forge, request.emailId);
    case "reset-password":
      return deliverReset(forge, request.userId);
    case "account-created": {
      const recipient = await findMailRecipient(forge.database.db, request.userId);
      if (recipient === null) {
        return false;
      }
      const { email: to, name } = recipient;
      await forge.mail.mailer.send(
        accountCreatedMail({ to, name, server: forge.addresses.hostname }, forge.addresses.own.base),
      );
      return true;
    }
    case "hook-paused": {
      const [recipient, hook] = await Promise.all([
        findMailRecipient(forge.database.db, request.userId),
        findHookNames(forge.database.db, request.hookId),
      ]);
      if (recipient === null || hook === null) {
        return false;
      }
      const { email: to, name } = recipient;
      await forge.mail.mailer.send(
        hookPausedMail(
          { to, name, server: forge.addresses.hostname },
          { ...hook, id: request.hookId, hours: forge.config.webhooks.pause_after_hours },
          forge.addresses.own.base,
        ),
      );
      return true;
    }
  }
}

async function deliverVerification(forge: Forge, emailId: number): Promise<boolean> {
  const { addresses, database } = forge;
  const row = await findEmail(database.db, emailId);
  const user = row === null || row.verified ? null : await findMailRecipient(database.db, row.userId);
  if (row === null || user === null) {
    return false;
  }
  const recipient = { to: row.email, name: user.name, server: addresses.hostname };
  await sendWithToken(forge, { purpose: "verify-email", userId: row.userId, emailId }, (token, hours) =>
    verifyEmailMail(recipient, addresses.verifyEmail(token), hours),
  );
  return true;
}

async function deliverReset(forge: Forge, userId: number): Promise<boolean> {
  const { addresses, database } = forge;
  const found = await findResetRecipient(database.db, { userId });
  if (found === null || (await countResets(database.db, userId, perMinutes)) >= maxResetLinks) {
    return false;
  }
  const recipient = { to: found.email, name: found.name, server: addresses.hostname };
  await sendWithToken(forge, { purpose: "reset-password", userId, emailId: null }, (token, hours) =>
    resetPasswordMail(recipient, addresses.resetPassword(token), hours),
  );
  return true;
}

/** The token is made before the mail that carries it, since its link may be opened at once. */
async function sendWithToken(
  { mail, change, config }: Forge,
  about: { purpose: MailTokenPurpose; userId: number; emailId: number | null },
  write: (token: string, hours: number) => Mail,
): Promise<void> {
  const hours = config.mail.link_lifetime_hours;
  const doer = serverDoer(`mail about ${about.purpose}`);
  const token = await change(doer, (work) => createMailToken(work.tx, about, hours));
  try {
    await mail.mailer.send(write(token, hours));
  } catch (error) {
    await change(doer, (work) => deleteMailToken(work.tx, hashToken(token)));
    throw error;
  }
}
