import { StithyError } from "../lib/errors.ts";

/** A mail to one person, ready to be sent. */
export interface Mail {
  to: string;
  subject: string;
  text: string;
  html: string;
  /** Shown in place of the sender's name, with the same address. */
  fromName?: string;
  /** With the angle brackets. Without it, the mail server's client makes one up. */
  messageId?: string;
  /** The Message-ID of the mail that begins the thread. */
  repliesTo?: string;
  headers?: Readonly<Record<string, string>>;
}

/** The mail server refused a mail or the sign-in for good: sending it again has the same end. */
export class MailRefused extends StithyError {
  constructor(reason: string, options?: ErrorOptions) {
    super("fault", "mail-refused", `The mail server refused the mail: ${reason}`, {}, options);
  }
}

/** Sends mails. A job (`jobs/mail.ts`, `jobs/issue-mail.ts`) sends it, and tries again. Disposing closes its connections. */
export interface Mailer extends AsyncDisposable {
  /** False: no mail server is configured, and no mails are asked for. */
  readonly configured: boolean;
  /** Resolves when the mail server has taken the mail. Throws MailRefused, or what may pass. */
  send(mail: Mail): Promise<void>;
}

/** Where no mail server is configured. */
export const noMailer: Mailer = {
  configured: false,
  async send() {
    throw new MailRefused("there is none");
  },
  async [Symbol.asyncDispose]() {},
};
