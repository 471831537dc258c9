/** A mail to one person, ready to be sent. */
export interface Mail {
  to: string;
  subject: string;
  text: string;
  html: string;
}

/**
 * Sends mails. Nobody waits for a mail: what becomes of one is told by the log. A mail belongs behind the transaction
 * that it tells of, so that nothing is announced that did not happen. Disposing gives up what is not sent yet.
 */
export interface Mailer extends AsyncDisposable {
  /** False: no mail server is configured, and mails are dropped. */
  readonly configured: boolean;
  send(mail: Mail): void;
}

/** Where no mail server is configured. */
export const noMailer: Mailer = {
  configured: false,
  send() {},
  async [Symbol.asyncDispose]() {},
};
