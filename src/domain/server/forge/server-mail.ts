import type { Config } from "../../../config/config.ts";
import { noMailer, type Mailer } from "../../../mail/mailer.ts";
import { MailAllowance } from "../../identity/users/mail-allowance.ts";

export interface ServerMail {
  readonly mailer: Mailer;
  /** Bounds the mails that users have sent to addresses that they name. */
  readonly allowance: MailAllowance;
}

/** More than a person adds addresses, and too few to annoy anybody. */
const mailsPerHour = 30;

export async function openServerMail(config: Config, stack: AsyncDisposableStack): Promise<ServerMail> {
  return { mailer: stack.use(await openMailer(config)), allowance: new MailAllowance(mailsPerHour) };
}

/** Without a mail server the library that talks to it is not even loaded. */
async function openMailer({ mail }: Config): Promise<Mailer> {
  const { smtp_host: host, smtp_port: port, smtp_security: security, from } = mail;
  if (host === "") {
    return noMailer;
  }
  const { SmtpMailer } = await import("../../../mail/smtp-mailer.ts");
  return new SmtpMailer({ host, port, security, user: mail.smtp_user, password: mail.smtp_password, from });
}
