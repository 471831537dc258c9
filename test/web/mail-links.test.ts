import { afterAll, describe, expect, test } from "bun:test";
import { deleteEmails } from "../../src/domain/identity/users/delete-emails.ts";
import { setPassword } from "../../src/domain/identity/users/set-password.ts";
import { MailCatcher, readQuotedPrintable } from "../support/mail-catcher.ts";
import { TestApp, testPassword, useTestApp } from "../support/test-app.ts";
import { WebVisitor } from "../support/web-visitor.ts";
import { serverDoer } from "../../src/domain/spine/doer.ts";

const catcher = await MailCatcher.start();
afterAll(() => catcher[Symbol.asyncDispose]());
const app = await useTestApp({
  mail: { smtp_host: "127.0.0.1", smtp_port: catcher.port, smtp_security: "none", from: "forge@example.com" },
});

/** The path of the link in the latest mail, after this number of mails came. */
async function linkOf(count: number): Promise<string> {
  const { source } = await catcher.mail(count - 1);
  return new RegExp(`${RegExp.escape(app.url)}(/\\S+)`).exec(readQuotedPrintable(source))?.[1] ?? "";
}

const ask = (account: string) => new WebVisitor(app.url).submit("/user/forgot_password", { account });
const choose = (link: string, password: string, visitor = new WebVisitor(app.url)) =>
  visitor.submit(link, { new_password: password, repeated: password });

describe("a forgotten password", () => {
  test("is asked for with the same answer for anybody; only an account with a confirmed address gets a mail", async () => {
    await app.user("alice");
    await app.forge.database.sql`update email_address set verified = false where lower_email = 'alice@example.com'`;
    await app.user("bob");
    const answers = [
      await ask("alice"),
      await ask("nobody"),
      await ask("alice@example.com"),
      await ask("a\u0000b"),
      await ask("BOB@example.com "),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 422, 200]);
    const [first = "", second, , , last] = answers.map(({ text }) => text);
    expect([second, last]).toEqual([first, first]);
    const mail = await catcher.mail(0);
    expect(mail.to).toEqual(["bob@example.com"]);
  });

  test("is replaced through the link, once; every session ends, and a wrong new one costs nothing", async () => {
    const before = catcher.mails.length;
    await app.user("carol");
    const browser = new WebVisitor(app.url);
    await browser.signIn("carol", testPassword);
    await ask("carol");
    const link = await linkOf(before + 1);
    expect(link).toStartWith("/user/reset-password?token=");
    expect((await new WebVisitor(app.url).get(link)).headers.get("cache-control")).toBe("no-store");
    expect(
      (
        await new WebVisitor(app.url).post("/user/reset-password", {
          token: link.split("=")[1] ?? "",
          new_password: "stolen away",
          repeated: "stolen away",
        })
      ).status,
    ).toBe(403);
    expect((await choose(link, "short")).status).toBe(422);
    expect((await browser.get("/")).text).toContain("Sign out");
    expect((await choose(link, "a brand new one")).status).toBe(200);
    expect((await browser.get("/")).text).not.toContain("Sign out");
    expect((await choose(link, "another new one")).status).toBe(400);
    expect((await new WebVisitor(app.url).signIn("carol", testPassword)).status).toBe(401);
    expect((await new WebVisitor(app.url).signIn("carol", "a brand new one")).status).toBe(303);
  });

  test("is not mailed about more than three times in a while, and not for a link that is old", async () => {
    const before = catcher.mails.length;
    const dora = await app.user("dora");
    for (let count = 1; count <= 3; count++) {
      await ask("dora");
      await catcher.mail(before + count - 1);
    }
    await ask("dora");
    const erin = await app.user("erin");
    await ask("erin");
    expect((await catcher.mail(before + 3)).to).toEqual(["erin@example.com"]);
    const count = await app.forge.database.sql`select count(*)::int as n from mail_token where user_id = ${dora.id}`;
    expect(count[0]?.["n"]).toBe(3);
    const link = await linkOf(before + 4);
    await app.forge.database.sql`update mail_token set expires_at = now() where user_id = ${erin.id}`;
    expect((await choose(link, "a brand new one")).status).toBe(400);
  });
});

test("a link to a new password goes to the primary address alone: who may add others does not become the user", async () => {
  const before = catcher.mails.length;
  const ivan = await app.user("ivan");
  await app.forge.database
    .sql`insert into email_address (user_id, email, lower_email, verified) values (${ivan.id}, 'else@example.com', 'else@example.com', true)`;
  await ask("else@example.com");
  await ask("ivan");
  expect((await catcher.mail(before)).to).toEqual(["ivan@example.com"]);
});

test.each([
  [
    "the password",
    (name: string) =>
      app.forge.change(serverDoer("test"), (work) =>
        setPassword(work, { username: name, password: "one that is new", mustChangePassword: false }, 8),
      ),
  ],
  [
    "an address",
    async (name: string) => {
      const { sql } = app.forge.database;
      const [row] = await sql`select id from owner where lower_name = ${name}`;
      await sql`insert into email_address (user_id, email, lower_email, verified) values (${Number(row?.["id"])}, ${`old@${name}.example`}, ${`old@${name}.example`}, true)`;
      await app.forge.change(serverDoer("test"), (work) =>
        deleteEmails(work, { id: Number(row?.["id"]), name }, [`old@${name}.example`]),
      );
    },
  ],
])("a link to a new password is void when %s changed since", async (what, change) => {
  const before = catcher.mails.length;
  const name = what === "an address" ? "henry" : "gina";
  await app.user(name);
  await ask(name);
  const link = await linkOf(before + 1);
  await change(name);
  expect((await choose(link, "a brand new one")).status).toBe(400);
  expect((await new WebVisitor(app.url).signIn(name, "a brand new one")).status).toBe(401);
});

test("an address is confirmed by a button, not by opening the link; once", async () => {
  const before = catcher.mails.length;
  const frank = await app.user("frank");
  await frank.api.post("/user/emails", { emails: ["second@example.com"] });
  const link = await linkOf(before + 1);
  const verified = async () =>
    (await frank.api.get<{ email: string; verified: boolean }[]>("/user/emails")).body.find(
      ({ email }) => email === "second@example.com",
    )?.verified;
  const browser = new WebVisitor(app.url);
  await browser.get(link);
  expect(await verified()).toBe(false);
  expect((await browser.submit(link, {})).text).toContain("second@example.com is yours.");
  expect(await verified()).toBe(true);
  expect((await browser.submit(link, {})).status).toBe(400);
  expect((await browser.submit("/user/verify-email?token=wrong", {})).status).toBe(400);
});

test("without a mail server the page says whom to ask", async () => {
  await using plain = await TestApp.start();
  const page = await new WebVisitor(plain.url).get("/user/forgot_password");
  expect(page.text).toContain("This server sends no mails");
  expect(page.text).not.toContain('method="post"');
});
