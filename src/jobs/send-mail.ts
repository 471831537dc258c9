import type { Forge } from "../domain/spine/forge.ts";
import { MailRefused } from "../mail/mailer.ts";
import { JobFailedForGood } from "../queue/errors.ts";
import { minuteMs } from "./job.ts";

export const mailLimits = {
  // Rests of 2.7 s to 2.3 h: mail servers that greylist, restart or are full are given three and a half hours.
  attempts: 10,
  timeLimitMs: 2 * minuteMs,
  concurrency: 2,
};

/** Has a mail sent. One that the mail server refuses for good is not tried again. */
export async function sendMail(forge: Forge, about: string, send: () => Promise<boolean>): Promise<void> {
  try {
    const sent = await send();
    forge.log.debug({ about }, sent ? "Sent a mail" : "A mail was not needed any more");
  } catch (error) {
    throw error instanceof MailRefused ? new JobFailedForGood(error.message, { cause: error }) : error;
  }
}
