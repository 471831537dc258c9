import { afterAll, describe, expect, test } from "bun:test";
import { MailRefused } from "../../src/mail/mailer.ts";
import { SmtpMailer, type SmtpOptions } from "../../src/mail/smtp-mailer.ts";
import { verifyEmailMail } from "../../src/mail/messages.ts";
import { MailCatcher, readQuotedPrintable } from "../support/mail-catcher.ts";

const catcher = await MailCatcher.start();
afterAll(() => catcher[Symbol.asyncDispose]());

const options: SmtpOptions = {
  host: "127.0.0.1",
  port: catcher.port,
  security: "none",
  user: "",
  password: "",
  from: "Forge <forge@example.com>",
};
const mail = { to: "someone@example.com", subject: "A subject", text: "Words\n", html: "<p>Words</p>\n" };

test("a mail arrives with both its texts, and says that no person wrote it", async () => {
  await using mailer = new SmtpMailer(options);
  await mailer.send(
    verifyEmailMail(
      { to: "zoë@example.com", name: "Zoë <&>", server: "forge.example" },
      "https://forge.example/user/verify-email?token=a&b",
      24,
    ),
  );
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
  await using mailer = new SmtpMailer(options);
  const number = catcher.mails.length;
  await mailer.send({ ...mail, subject: "Hello\r\nBcc: evil@example.com\r\n\r\nBody" });
  const { to, source } = await catcher.mail(number);
  expect(to).toEqual(["someone@example.com"]);
  expect(source).not.toMatch(/^Bcc:/im);
});

/** What became of a mail that was not sent. */
const failureOf = (mailer: SmtpMailer) =>
  mailer.send(mail).then(
    () => null,
    (error: unknown) => error as Error,
  );

describe("a mail that is refused", () => {
  test("for the moment, may be sent again", async () => {
    await using mailer = new SmtpMailer(options);
    const number = catcher.mails.length;
    catcher.refuse = { times: 1, code: 451 };
    const failure = await failureOf(mailer);
    expect([failure instanceof Error, failure instanceof MailRefused]).toEqual([true, false]);
    await mailer.send(mail);
    await catcher.mail(number);
  });

  test("for good, may not", async () => {
    await using mailer = new SmtpMailer(options);
    const [number, refused] = [catcher.mails.length, catcher.refused];
    catcher.refuse = { times: 1, code: 550 };
    expect(await failureOf(mailer)).toBeInstanceOf(MailRefused);
    expect([catcher.mails.length, catcher.refused]).toEqual([number, refused + 1]);
  });

  test("because nobody is there, may be sent again", async () => {
    await using mailer = new SmtpMailer({ ...options, port: 1 });
    const failure = await failureOf(mailer);
    expect([failure instanceof Error, failure instanceof MailRefused]).toEqual([true, false]);
  });
});

test("a server that must encrypt and cannot gets no mail and no password", async () => {
  await using mailer = new SmtpMailer({ ...options, security: "starttls", user: "forge", password: "secret" });
  const number = catcher.mails.length;
  const failure = await failureOf(mailer);
  expect([failure instanceof Error, String(failure).includes("secret")]).toEqual([true, false]);
  expect(catcher.mails.length).toBe(number);
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
  await using wrong = new SmtpMailer({ ...options, port: strict.port, user: "forge", password: "wrong-one" });
  const failure = await failureOf(wrong);
  expect(failure).toBeInstanceOf(MailRefused);
  expect(String(failure)).not.toContain("wrong-one");
  await using right = new SmtpMailer({ ...options, port: strict.port, user: "forge", password: "right" });
  await right.send(mail);
  await strict.mail(0);
  expect(seen).toEqual(["forge:wrong-one", "forge:right"]);
});

test.each(["starttls", "tls"] as const)(
  "a mail server whose certificate nobody vouches for gets no mail and no password (%s)",
  async (security) => {
    let signIns = 0;
    await using impostor = await MailCatcher.start({
      secure: security === "tls",
      disabledCommands: [],
      onAuth(_auth, _session, callback) {
        signIns++;
        callback(null, { user: 1 });
      },
    });
    await using mailer = new SmtpMailer({
      ...options,
      port: impostor.port,
      security,
      user: "forge",
      password: "secret",
    });
    expect(await failureOf(mailer)).toBeInstanceOf(Error);
    expect([impostor.mails.length, signIns]).toEqual([0, 0]);
  },
);
