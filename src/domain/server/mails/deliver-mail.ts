import { hashToken } from "../../../auth/access-token.ts";
import type { Mail } from "../../../mail/mailer.ts";
import {
  accountCreatedMail,
  hookPausedMail,
  migrationFailedMail,
  mirrorFailedMail,
  resetPasswordMail,
  verifyEmailMail,
} from "../../../mail/messages.ts";
import type { JobPayload } from "../../../queue/job-kind.ts";
import { serverDoer } from "../../spine/doer.ts";
import type { Forge } from "../../spine/forge.ts";
import { findHookNames } from "../../exchange/hooks/name-queries.ts";
import { deleteMailToken, findEmail, type MailTokenPurpose } from "../../identity/users/email-queries.ts";
import { createMailToken } from "../../identity/users/mail-token.ts";
import { findMailRecipient } from "../../identity/users/queries.ts";
import { countResets, findResetRecipient } from "../../identity/users/reset-queries.ts";
import { findFailingMirror, findToldMigration } from "./told-queries.ts";

type MailRequest = JobPayload<"mail">;

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
    case "account-created":
      return sendTo(forge, request.userId, (to) => accountCreatedMail(to, forge.addresses.own.base));
    case "migration-failed": {
      const migration = await findToldMigration(forge.database.db, request.migrationId);
      const url = forge.addresses.own.migrations();
      return migration === null
        ? false
        : sendTo(forge, migration.actorId, (to) => migrationFailedMail(to, migration, url));
    }
    case "mirror-failed": {
      const mirror = await findFailingMirror(forge.database.db, request);
      if (mirror === null) {
        return false;
      }
      const told = { ...mirror, fullName: `${mirror.owner}/${mirror.name}`, isPull: request.pushMirrorId === null };
      const url = forge.addresses.own.repository(mirror.owner, mirror.name);
      return sendTo(forge, request.userId, (to) => mirrorFailedMail(to, told, url));
    }
    case "hook-paused": {
      const hook = await findHookNames(forge.database.db, request.hookId);
      if (hook === null) {
        return false;
      }
      const told = { ...hook, id: request.hookId, hours: forge.config.webhooks.pause_after_hours };
      return sendTo(forge, request.userId, (to) => hookPausedMail(to, told, forge.addresses.own.base));
    }
  }
}

/** Sends a mail to a user; false for one who is gone, or may not sign in. */
async function sendTo(
  { database, mail, addresses }: Forge,
  userId: number,
  write: (recipient: { to: string; name: string; server: string }) => Mail,
): Promise<boolean> {
  const recipient = await findMailRecipient(database.db, userId);
  if (recipient === null) {
    return false;
  }
  await mail.mailer.send(write({ to: recipient.email, name: recipient.name, server: addresses.hostname }));
  return true;
}

async function deliverVerification(forge: Forge, emailId: number): Promise<boolean> {
  const { database } = forge;
  const addresses = forge.addresses.own;
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
  const { database } = forge;
  const addresses = forge.addresses.own;
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
