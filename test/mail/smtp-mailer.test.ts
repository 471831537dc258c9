import { afterAll, describe, expect, test } from "bun:test";
import { silentLogger, type Logger } from "../../src/lib/log.ts";
import { SmtpMailer, type SmtpOptions } from "../../src/mail/smtp-mailer.ts";
import { verifyEmailMail } from "../../src/mail/messages.ts";
import { MailCatcher, readQuotedPrintable } from "../support/mail-catcher.ts";

const catcher = await MailCatcher.start();
afterAll(() => catcher[Symbol.asyncDispose]());

/** Keeps what is said, and tells when something was. */
class Log {
  readonly said: { level: string; message: string; fields: Record<string, unknown> }[] = [];
  #waiting: (() => void)[] = [];
  readonly logger: Logger = { ...silentLogger, warn: (fields, message) => this.#keep("warn", fields, message), error: (fields, message) => this.#keep("error", fields, message) };

  #keep(level: string, fields: object, message: string): void {
    this.said.push({ level, message, fields: { ...fields } });
    this.#waiting.splice(0).forEach((resolve) => resolve());
  }

  async until(condition: () => boolean): Promise<void> {
    while (!condition()) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#waiting.push(resolve);
      await promise;
    }
  }
}

const options: SmtpOptions = { host: "127.0.0.1", port: catcher.port, security: "none", user: "", password: "", from: "Forge <forge@example.com>" };
const mail = { to: "someone@example.com", subject: "A subject", text: "Words\n", html: "<p>Words</p>\n" };

test("a mail arrives with both its texts, and says that no person wrote it", async () => {
  await using mailer = new SmtpMailer(options, silentLogger);
  mailer.send(verifyEmailMail({ to: "zoë@example.com", name: "Zoë <&>", server: "forge.example" }, "https://forge.example/user/verify-email?token=a&b", 24));
  const { from, to, source } = await catcher.mail(0);
  expect([from, to]).toEqual(["forge@example.com", ["zoë@example.com"]]);
  const text = readQuotedPrintable(source);
  expect(text).toContain("From: Forge <forge@example.com>");
  expect(text).toContain("Auto-Submitted: auto-generated");
  expect(text).toContain("https://forge.example/user/verify-email?token=a&b\r\n");
  expect(text).toContain('<a href="https://forge.example/user/verify-email?token=a&amp;b">Confirm the address</a>');
  expect(text).toContain("&lt;&amp;&gt;,</p>");
});

test("nothing that is put into a subject or an address becomes a header", async () => {
  await using mailer = new SmtpMailer(options, silentLogger);
  const number = catcher.mails.length;
  mailer.send({ ...mail, subject: "Hello\r\nBcc: evil@example.com\r\n\r\nBody" });
  const { to, source } = await catcher.mail(number);
  expect(to).toEqual(["someone@example.com"]);
  expect(source).not.toMatch(/^Bcc:/im);
});

describe("a mail that is refused", () => {
  test("for the moment is tried again", async () => {
    const log = new Log();
    await using mailer = new SmtpMailer(options, log.logger, [1, 1]);
    const number = catcher.mails.length;
    catcher.refuse = { times: 2, code: 451 };
    mailer.send(mail);
    await catcher.mail(number);
    expect(log.said.map(({ level, message }) => [level, message])).toEqual(Array.from({ length: 2 }, () => ["warn", "A mail could not be sent; it will be tried again"]));
  });

  test("for good is given up at once, and the log says so", async () => {
    const log = new Log();
    await using mailer = new SmtpMailer(options, log.logger, [1, 1]);
    const [number, refused] = [catcher.mails.length, catcher.refused];
    catcher.refuse = { times: 1, code: 550 };
    mailer.send(mail);
    await log.until(() => log.said.length > 0);
    expect(log.said).toMatchObject([{ level: "error", message: "A mail could not be sent and was given up", fields: { to: "someone@example.com", attempt: 1 } }]);
    expect([catcher.mails.length, catcher.refused]).toEqual([number, refused + 1]);
  });

  test("again and again is given up in the end", async () => {
    const log = new Log();
    await using mailer = new SmtpMailer({ ...options, port: 1 }, log.logger, [1, 1]);
    mailer.send(mail);
    await log.until(() => log.said.some(({ level }) => level === "error"));
    expect(log.said.map(({ level }) => level)).toEqual(["warn", "warn", "error"]);
  });
});

test("a server that must encrypt and cannot gets no mail and no password", async () => {
  const log = new Log();
  await using mailer = new SmtpMailer({ ...options, security: "starttls", user: "forge", password: "secret" }, log.logger, []);
  const number = catcher.mails.length;
  mailer.send(mail);
  await log.until(() => log.said.length > 0);
  expect(catcher.mails.length).toBe(number);
  expect(JSON.stringify(log.said)).not.toContain("secret");
});

test("a mail server that wants to know who comes is told", async () => {
  const seen: string[] = [];
  await using strict = await MailCatcher.start({
    authOptional: false,
    allowInsecureAuth: true,
    onAuth(auth, _session, callback) {
      seen.push(`${auth.username}:${auth.password}`);
      callback(auth.password === "right" ? null : Object.assign(new Error("No"), { responseCode: 535 }), { user: 1 });
    },
  });
  const log = new Log();
  await using wrong = new SmtpMailer({ ...options, port: strict.port, user: "forge", password: "wrong-one" }, log.logger, [1, 1]);
  wrong.send(mail);
  await log.until(() => log.said.length > 0);
  expect(log.said.map(({ level }) => level)).toEqual(["error"]);
  expect(JSON.stringify(log.said)).not.toContain("wrong-one");
  await using right = new SmtpMailer({ ...options, port: strict.port, user: "forge", password: "right" }, log.logger, []);
  right.send(mail);
  await strict.mail(0);
  expect(seen).toEqual(["forge:wrong-one", "forge:right"]);
});

test.each(["starttls", "tls"] as const)("a mail server whose certificate nobody vouches for gets no mail and no password (%s)", async (security) => {
  let signIns = 0;
  await using impostor = await MailCatcher.start({
    secure: security === "tls",
    disabledCommands: [],
    onAuth(_auth, _session, callback) {
      signIns++;
      callback(null, { user: 1 });
    },
  });
  const log = new Log();
  await using mailer = new SmtpMailer({ ...options, port: impostor.port, security, user: "forge", password: "secret" }, log.logger, []);
  mailer.send(mail);
  await log.until(() => log.said.length > 0);
  expect([log.said[0]?.level, impostor.mails.length, signIns]).toEqual(["error", 0, 0]);
});

test("disposing ends the waiting for another try", async () => {
  const log = new Log();
  const mailer = new SmtpMailer({ ...options, port: 1 }, log.logger, [3_600_000]);
  mailer.send(mail);
  await log.until(() => log.said.length > 0);
  await mailer[Symbol.asyncDispose]();
  mailer.send(mail);
  expect(log.said.at(-1)?.level).toBe("error");
});
