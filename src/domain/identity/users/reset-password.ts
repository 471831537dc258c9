import { newJob } from "../../../queue/enqueue.ts";
import type { Forge } from "../../spine/forge.ts";
import { checkPassword } from "./check-password.ts";
import { useMailToken } from "./mail-token.ts";
import { findResetRecipient } from "./reset-queries.ts";
import { getNamedUser } from "./queries.ts";
import { replacePassword } from "./set-password.ts";
import type { Work } from "../../spine/work.ts";
import { serverDoer } from "../../spine/doer.ts";

/** Has somebody sent a link with which they choose a new password. For nobody, and without a mail server, nothing happens. */
export async function requestPasswordReset({ change, database, mail }: Forge, nameOrEmail: string): Promise<void> {
  const recipient =
    nameOrEmail.includes("\0") || !mail.mailer.configured
      ? null
      : await findResetRecipient(database.db, { nameOrEmail });
  if (recipient === null) {
    return;
  }
  const { userId } = recipient;
  // Whoever asks is nobody yet: the right to a link is the account's, and is looked at again when the mail is written.
  await change(serverDoer("reset password"), async (work) => {
    await work.enqueue(newJob("mail", { about: "reset-password", userId }, { key: `reset-password:${userId}` }));
  });
}

/**
 * Uses the token of a mail: its user has this password from now on, and all their sessions end. A second factor stays.
 * Throws InvalidInput, which leaves the token as it was, and MailLinkInvalid.
 */
export async function resetPassword(
  work: Work,
  token: string,
  password: string,
  passwordMinimum: number,
): Promise<void> {
  const { tx } = work;
  checkPassword(password, passwordMinimum);
  const { userId } = await useMailToken(tx, "reset-password", token);
  await replacePassword(work, await getNamedUser(tx, userId), password, false);
}
