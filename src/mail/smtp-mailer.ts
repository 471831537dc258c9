import { setTimeout as pause } from "node:timers/promises";
import { createTransport } from "nodemailer";
import { messageOf } from "../lib/errors.ts";
import type { Logger } from "../lib/log.ts";
import { Slots } from "../lib/slots.ts";
import type { Mail, Mailer } from "./mailer.ts";

export interface SmtpOptions {
  host: string;
  port: number;
  /** starttls: encrypted or not at all, over an open connection; tls: encrypted from the first byte; none: in the clear. */
  security: "starttls" | "tls" | "none";
  /** Empty: no sign-in. */
  user: string;
  password: string;
  /** What stands in From. */
  from: string;
}

const atOnce = 2;
const mostWaiting = 1000;
const socketTimeoutMs = 30_000;
/** How long after a failure a mail is tried again. Most servers that greylist let it through after a minute. */
const pausesMs: readonly number[] = [2000, 15_000, 90_000];

/** Sends over SMTP, a few mails at a time; each is tried again when the failure may pass. Nothing survives a restart. */
export class SmtpMailer implements Mailer {
  readonly configured = true;
  readonly #transport;
  readonly #slots = new Slots(atOnce, mostWaiting);
  readonly #stop = new AbortController();
  readonly #running = new Set<Promise<void>>();
  readonly #from: string;

  constructor(
    options: SmtpOptions,
    private readonly log: Logger,
    private readonly pauses: readonly number[] = pausesMs,
  ) {
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

  send(mail: Mail): void {
    if (this.#stop.signal.aborted || this.#slots.full !== null) {
      this.log.error({ to: mail.to, subject: mail.subject }, "A mail was given up: too many are waiting to be sent");
      return;
    }
    const running = this.#deliver(mail).finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  async #deliver(mail: Mail): Promise<void> {
    for (let attempt = 0; ; attempt++) {
      const failure = await this.#attempt(mail);
      if (failure === null) {
        this.log.debug({ to: mail.to, subject: mail.subject }, "Sent a mail");
        return;
      }
      const wait = this.pauses[attempt];
      const again = wait !== undefined && mayPass(failure) && !this.#stop.signal.aborted;
      const fields = { to: mail.to, subject: mail.subject, attempt: attempt + 1, reason: messageOf(failure) };
      if (!again) {
        this.log.error(fields, "A mail could not be sent and was given up");
        return;
      }
      this.log.warn(fields, "A mail could not be sent; it will be tried again");
      await pause(wait, undefined, { signal: this.#stop.signal }).catch(() => {});
    }
  }

  /** Null when it was sent. */
  async #attempt(mail: Mail): Promise<unknown> {
    try {
      using _slot = await this.#slots.take(this.#stop.signal);
      await this.#transport.sendMail({ from: this.#from, ...mail, headers: { "Auto-Submitted": "auto-generated" } });
      return null;
    } catch (error) {
      return error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#running);
    this.#transport.close();
  }
}

/** An answer of 500 and above is final (RFC 5321 section 4.2.1), and so is a sign-in that was refused; all else may pass. */
function mayPass(error: unknown): boolean {
  const { code, responseCode } = error as { code?: unknown; responseCode?: unknown };
  return code !== "EAUTH" && !(typeof responseCode === "number" && responseCode >= 500);
}
