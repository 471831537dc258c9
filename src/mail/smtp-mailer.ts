import { createTransport } from "nodemailer";
import { messageOf } from "../lib/errors.ts";
import { MailRefused, type Mail, type Mailer } from "./mailer.ts";

export interface SmtpOptions {
  host: string;
  port: number;
  /** starttls: encrypted or not at all, over an open connection; tls: encrypted from the first byte; none: in the clear. */
  security: "starttls" | "tls" | "none";
  /** Empty: no sign-in. */
  user: string;
  password: string;
  /** The From header. */
  from: string;
}

const socketTimeoutMs = 30_000;

/** Sends over SMTP, each mail over a connection of its own. */
export class SmtpMailer implements Mailer {
  readonly configured = true;
  readonly #transport;
  readonly #from: string;

  constructor(options: SmtpOptions) {
    this.#from = options.from;
    this.#transport = createTransport({
      host: options.host,
      port: options.port,
      secure: options.security === "tls",
      requireTLS: options.security === "starttls",
      ignoreTLS: options.security === "none",
      ...(options.user === "" ? {} : { auth: { user: options.user, pass: options.password } }),
      connectionTimeout: socketTimeoutMs,
      greetingTimeout: socketTimeoutMs,
      socketTimeout: socketTimeoutMs,
      // A mail has texts only: nothing in it may make the server read a file or call an address.
      disableFileAccess: true,
      disableUrlAccess: true,
    });
  }

  async send({ fromName, messageId, repliesTo, headers, ...mail }: Mail): Promise<void> {
    try {
      await this.#transport.sendMail({
        ...mail,
        from: fromName === undefined ? this.#from : { name: fromName, address: addressOf(this.#from) },
        ...(messageId === undefined ? {} : { messageId }),
        ...(repliesTo === undefined ? {} : { inReplyTo: repliesTo, references: repliesTo }),
        headers: { "Auto-Submitted": "auto-generated", ...headers },
      });
    } catch (error) {
      throw mayPass(error) ? error : new MailRefused(messageOf(error), { cause: error });
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#transport.close();
  }
}

/** The address in `Forge <forge@example.org>`, or in `forge@example.org`. */
function addressOf(sender: string): string {
  return /<([^<>]*)>\s*$/.exec(sender)?.[1] ?? sender.trim();
}

/** An answer of 500 and above is final (RFC 5321 section 4.2.1), and so is a sign-in that was refused; all else may pass. */
function mayPass(error: unknown): boolean {
  const { code, responseCode } = error as { code?: unknown; responseCode?: unknown };
  return code !== "EAUTH" && !(typeof responseCode === "number" && responseCode >= 500);
}
