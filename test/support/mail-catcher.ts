import { SMTPServer, type SMTPServerOptions } from "smtp-server";

/** A mail as it arrived. */
export interface CaughtMail {
  from: string;
  to: string[];
  /** Headers and body as they were sent. */
  source: string;
}

/** A mail server on a free port that keeps what it gets. */
export class MailCatcher implements AsyncDisposable {
  readonly mails: CaughtMail[] = [];
  /** How many of the next mails are refused, and with which code of SMTP. */
  refuse = { times: 0, code: 451 };
  /** How many were refused. */
  refused = 0;
  #waiting: (() => void)[] = [];

  private constructor(
    private readonly server: SMTPServer,
    readonly port: number,
  ) {}

  static async start(options: SMTPServerOptions = {}): Promise<MailCatcher> {
    let catcher: MailCatcher | null = null;
    const server = new SMTPServer({
      authOptional: true,
      disabledCommands: ["STARTTLS"],
      onData(stream, session, callback) {
        const chunks: Buffer[] = [];
        stream.on("data", (chunk: Buffer) => chunks.push(chunk));
        stream.on("end", () => {
          const refusal = catcher?.take({
            from: session.envelope.mailFrom === false ? "" : session.envelope.mailFrom.address,
            to: session.envelope.rcptTo.map(({ address }) => address),
            source: Buffer.concat(chunks).toString(),
          });
          callback(refusal ?? null);
        });
      },
      ...options,
    });
    // Clients that hang up, as those do that do not like the certificate.
    server.on("error", () => {});
    const { promise, resolve } = Promise.withResolvers<number>();
    const listening = server.listen(0, "127.0.0.1", () => resolve((listening.address() as { port: number }).port));
    catcher = new MailCatcher(server, await promise);
    return catcher;
  }

  private take(mail: CaughtMail): Error | null {
    if (this.refuse.times > 0) {
      this.refuse.times--;
      this.refused++;
      this.#wake();
      return Object.assign(new Error("Not now"), { responseCode: this.refuse.code });
    }
    this.mails.push(mail);
    this.#wake();
    return null;
  }

  #wake(): void {
    this.#waiting.splice(0).forEach((resolve) => resolve());
  }

  /** Waits until the condition holds; it is looked at after each mail that came. */
  async until(condition: () => boolean): Promise<void> {
    while (!condition()) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#waiting.push(resolve);
      await promise;
    }
  }

  /** The mail of this number, from 0, when it has come. */
  async mail(number: number): Promise<CaughtMail> {
    await this.until(() => this.mails.length > number);
    const mail = this.mails[number];
    if (mail === undefined) {
      throw new Error("It was there a moment ago");
    }
    return mail;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.server.close(resolve);
    await promise;
  }
}

/** The text of a mail, with the line breaks and characters that quoted-printable took away. */
export function readQuotedPrintable(source: string): string {
  return source
    .replaceAll(/=\r?\n/g, "")
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}
