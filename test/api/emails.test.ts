import { afterAll, describe, expect, test } from "bun:test";
import { verifyEmail } from "../../src/domain/identity/users/verify-email.ts";
import { MailCatcher, readQuotedPrintable } from "../support/mail-catcher.ts";
import { countJobs } from "../../src/queue/queries.ts";
import { useTestApp } from "../support/test-app.ts";
import { until } from "../support/until.ts";
import { serverDoer } from "../../src/domain/spine/doer.ts";

const catcher = await MailCatcher.start();
afterAll(() => catcher[Symbol.asyncDispose]());
const app = await useTestApp({ users: { emails: 3 } });
const mailing = await useTestApp({
  mail: { smtp_host: "127.0.0.1", smtp_port: catcher.port, smtp_security: "none", from: "forge@example.com" },
});
const admin = await app.admin();
const alice = await app.user("alice");

interface Email {
  email: string;
  verified: boolean;
  primary: boolean;
  username: string;
}
interface Failure {
  message: string;
}

const shown = (emails: Email[]) => emails.map(({ email, verified, primary }) => [email, verified, primary]);

/** The token of the link in the mail of this number. */
async function tokenOf(number: number): Promise<string> {
  const { source } = await catcher.mail(number);
  return decodeURIComponent(/\/user\/verify-email\?token=([\w%-]+)/.exec(readQuotedPrintable(source))?.[1] ?? "");
}

const verify = (token: string) => mailing.forge.change(serverDoer("test"), (work) => verifyEmail(work, token));

describe("without a mail server", () => {
  test("addresses are added unverified; only verified ones sign in and lead from commits to the user", async () => {
    const { status, body } = await alice.api.post<Email[]>("/user/emails", {
      emails: ["second@example.com", "Third@Example.com"],
    });
    expect(status).toBe(201);
    expect(shown(body)).toEqual([
      ["second@example.com", false, false],
      ["Third@Example.com", false, false],
    ]);
    expect(shown((await alice.api.get<Email[]>("/user/emails")).body)[0]).toEqual(["alice@example.com", true, true]);
    expect((await app.withPassword("second@example.com").get("/user")).status).toBe(401);

    await app.repository(alice, "work", { auto_init: true });
    const author = { name: "A", email: "Second@example.com" };
    await alice.api.post("/repos/alice/work/contents/file", { content: "", message: "M", author, committer: author });
    const authorOf = async () =>
      (await alice.api.get<{ author: { login: string } | null }[]>("/repos/alice/work/commits?limit=1")).body[0]?.author
        ?.login ?? null;
    expect(await authorOf()).toBeNull();

    expect((await admin.api.patch("/admin/users/alice", { email: "second@example.com" })).status).toBe(200);
    expect((await app.withPassword("second@example.com").get("/user")).status).toBe(200);
    expect((await app.withPassword("alice@example.com").get("/user")).status).toBe(200);
    expect(await authorOf()).toBe("alice");
  });

  test.each([
    [["not an address"], "emails"],
    [["fine@example.com", "a b@example.com"], "emails"],
    [[], "emails"],
    [["ALICE@example.com"], "alice@example.com"],
    [["admin@example.com"], "admin@example.com"],
    [["one@example.com", "ONE@example.com"], "one@example.com"],
    [["one@example.com"], "at most 3"],
    [[7], "emails.0"],
  ])("%j is not added, and nothing with it", async (emails, part) => {
    const before = (await alice.api.get("/user/emails")).body;
    const { status, body } = await alice.api.post<Failure>("/user/emails", { emails });
    expect([status, body.message.toLowerCase().includes(part)]).toEqual([422, true]);
    expect((await alice.api.get("/user/emails")).body).toEqual(before);
  });

  test("deleting takes all or none, one's own only, and never the primary one", async () => {
    const user = await app.user("deleter");
    await user.api.post("/user/emails", { emails: ["d1@example.com", "d2@example.com"] });
    const remove = (emails: string[]) => user.api.request<Failure>("DELETE", "/user/emails", { body: { emails } });
    expect((await remove(["d1@example.com", "admin@example.com"])).status).toBe(404);
    const primary = await remove(["d1@example.com", "deleter@example.com"]);
    expect([primary.status, primary.body.message]).toEqual([
      422,
      '"deleter@example.com" is the primary e-mail address and cannot be deleted',
    ]);
    expect((await user.api.get<Email[]>("/user/emails")).body).toHaveLength(3);
    expect((await remove(["D1@example.com", "d2@example.com"])).status).toBe(204);
    expect(shown((await user.api.get<Email[]>("/user/emails")).body)).toEqual([["deleter@example.com", true, true]]);
  });

  test("nobody is asked, strangers and tokens of other scopes are refused", async () => {
    expect((await app.anonymous.get("/user/emails")).status).toBe(401);
    expect((await (await app.scoped(alice, "read:repository")).get("/user/emails")).status).toBe(403);
    expect(
      (await (await app.scoped(alice, "read:user")).post("/user/emails", { emails: ["x@example.com"] })).status,
    ).toBe(403);
  });

  test("administrators see everybody's, and search them", async () => {
    const all = (await admin.api.get<Email[]>("/admin/emails?limit=50")).body;
    const addresses = all.map(({ email }) => email.toLowerCase());
    expect(addresses).toEqual(addresses.toSorted());
    expect(all.find(({ email }) => email === "Third@Example.com")).toMatchObject({
      username: "alice",
      verified: false,
      primary: false,
    });
    const found = await admin.api.get<Email[]>("/admin/emails/search?q=THIRD@");
    expect([found.body.map(({ email }) => email), found.headers.get("x-total-count")]).toEqual([
      ["Third@Example.com"],
      "1",
    ]);
    expect((await admin.api.get<Email[]>("/admin/emails/search?q=ali")).body.length).toBe(3);
    expect((await admin.api.get<Email[]>("/admin/emails/search?q=%25")).body).toEqual([]);
    expect((await admin.api.get<Email[]>("/admin/emails?limit=1&page=2")).body.map(({ email }) => email)).toEqual([
      all[1]?.email ?? "",
    ]);
  });

  test("two users who are given one address at once: it is verified for one", async () => {
    await Promise.all([app.user("rival-1"), app.user("rival-2")]);
    const answers = await Promise.all(
      ["rival-1", "rival-2"].map((name) => admin.api.patch(`/admin/users/${name}`, { email: "prize@example.com" })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 422]);
  });
});

describe("with a mail server", () => {
  test("a link in a mail verifies the address, once", async () => {
    const bob = await mailing.user("bob");
    const number = catcher.mails.length;
    await bob.api.post("/user/emails", { emails: ["bob@work.example"] });
    expect((await catcher.mail(number)).to).toEqual(["bob@work.example"]);
    const token = await tokenOf(number);
    expect((await mailing.withPassword("bob@work.example").get("/user")).status).toBe(401);
    expect(await verify(token)).toMatchObject({ email: "bob@work.example", verified: true });
    expect((await mailing.withPassword("bob@work.example").get("/user")).status).toBe(200);
    await expect(verify(token)).rejects.toMatchObject({ code: "mail-link-invalid" });
    await expect(verify("nonsense")).rejects.toMatchObject({ code: "mail-link-invalid" });
  });

  test("a link that is too old, or whose address was deleted, does nothing", async () => {
    const carl = await mailing.user("carl");
    const number = catcher.mails.length;
    await carl.api.post("/user/emails", { emails: ["carl@old.example"] });
    const old = await tokenOf(number);
    await mailing.forge.database.sql`update mail_token set expires_at = now() - interval '1 second'`;
    await expect(verify(old)).rejects.toMatchObject({ code: "mail-link-invalid" });
    await carl.api.post("/user/emails", { emails: ["carl@gone.example"] });
    const gone = await tokenOf(number + 1);
    await carl.api.request("DELETE", "/user/emails", { body: { emails: ["carl@gone.example"] } });
    await expect(verify(gone)).rejects.toMatchObject({ code: "mail-link-invalid" });
    expect(shown((await carl.api.get<Email[]>("/user/emails")).body).map(([, verified]) => verified)).toEqual([
      true,
      false,
    ]);
  });

  test("of two who claim an address, who shows it first has it", async () => {
    const [dora, eve] = await Promise.all([mailing.user("dora"), mailing.user("eve")]);
    const number = catcher.mails.length;
    await dora.api.post("/user/emails", { emails: ["shared@example.com"] });
    const first = await tokenOf(number);
    await eve.api.post("/user/emails", { emails: ["shared@example.com"] });
    const second = await tokenOf(number + 1);
    await verify(second);
    await expect(verify(first)).rejects.toMatchObject({ code: "email-taken" });
    expect((await mailing.withPassword("shared@example.com").get<{ login: string }>("/user")).body.login).toBe("eve");
  });

  test("whoever is made with send_notify is told, without a password", async () => {
    const boss = await mailing.admin("boss");
    const number = catcher.mails.length;
    const user = { username: "newcomer", email: "newcomer@example.com", password: "the secret password" };
    await boss.api.post("/admin/users", { ...user, send_notify: true });
    const mail = await catcher.mail(number);
    expect(mail.to).toEqual(["newcomer@example.com"]);
    expect(readQuotedPrintable(mail.source)).toContain("Your user name is newcomer");
    expect(mail.source).not.toContain("secret");
    await boss.api.post("/admin/users", { ...user, username: "silent", email: "silent@example.com" });
    expect(catcher.mails.length).toBe(number + 1);
  });

  test("a user cannot have strangers' mailboxes filled by adding and deleting addresses", async () => {
    const mallory = await mailing.user("mallory");
    const number = catcher.mails.length;
    const body = { emails: Array.from({ length: 10 }, (_, index) => `victim${index}@example.com`) };
    for (const status of [201, 201, 201, 429]) {
      const answer = await mallory.api.post("/user/emails", body);
      expect([answer.status, answer.headers.has("retry-after")]).toEqual([status, status === 429]);
      await mallory.api.request("DELETE", "/user/emails", { body });
    }
    // Of addresses that are gone before their mail is written, there is none.
    await until("the queue is empty", async () => {
      const { waiting, running } = await countJobs(mailing.forge.database.db);
      return waiting + running === 0;
    });
    expect(catcher.mails.length).toBeLessThanOrEqual(number + 30);
  });
});
