import { afterAll, afterEach, describe, expect, test } from "bun:test";
import { seedDoer, serverDoer } from "../../src/domain/spine/doer.ts";
import { writeUnsubscribeToken } from "../../src/domain/work/issue-mail/unsubscribe-token.ts";
import { createIssue } from "../../src/domain/work/issues/create-issue.ts";
import { waitUntilIdle } from "../../src/domain/server/wait-until-idle.ts";
import { newJob } from "../../src/queue/enqueue.ts";
import { MailCatcher, readQuotedPrintable } from "../support/mail-catcher.ts";
import { commitFile } from "../support/pulls.ts";
import { testPassword, useTestApp, type TestUser } from "../support/test-app.ts";
import { WebVisitor } from "../support/web-visitor.ts";

const catcher = await MailCatcher.start();
afterAll(() => catcher[Symbol.asyncDispose]());
const app = await useTestApp({
  mail: { smtp_host: "127.0.0.1", smtp_port: catcher.port, smtp_security: "none", from: "Forge <forge@example.com>" },
});
const { sql } = app.forge.database;
const [alice, bob, carol, dave] = [
  await app.user("alice"),
  await app.user("bob"),
  await app.user("carol"),
  await app.user("dave"),
];
let made = 0;
afterEach(async () => {
  await sql`update account set mail_choice = null`;
  catcher.mails.splice(0);
});

async function repository(fields: Record<string, unknown> = {}): Promise<string> {
  const name = `anvil${++made}`;
  await app.repository(alice, name, fields);
  return `/repos/alice/${name}`;
}

async function open(at: string, fields: Record<string, unknown> = {}, by: TestUser = alice): Promise<number> {
  const { status, body } = await by.api.post<{ number: number }>(`${at}/issues`, { title: "Broken", ...fields });
  expect(status).toBe(201);
  return body.number;
}

async function comment(at: string, number: number, body: string, by: TestUser): Promise<void> {
  expect((await by.api.post(`${at}/issues/${number}/comments`, { body })).status).toBe(201);
}

/** The mails that came since this was asked last, by their readers' names. */
async function mails(): Promise<{ to: string; subject: string; source: string; header: (name: string) => string }[]> {
  await waitUntilIdle(app.forge, 60_000);
  return catcher.mails
    .splice(0)
    .map(({ to: [address = ""], source: raw }) => {
      const head = raw.slice(0, raw.indexOf("\r\n\r\n")).replaceAll(/\r\n[ \t]+/g, " ");
      const header = (name: string) => new RegExp(`^${name}: (.*)$`, "im").exec(head)?.[1] ?? "";
      const source = readQuotedPrintable(raw.slice(raw.indexOf("\r\n\r\n")));
      return { to: address.split("@")[0] ?? "", subject: header("Subject"), source, header };
    })
    .toSorted((one, other) => (one.to < other.to ? -1 : 1));
}

/** Has a mail sent that somebody was to get, as a job does that was there before. */
async function send(at: string, { id: userId }: TestUser): Promise<void> {
  const [row] =
    await sql`select issue.id from issue join repository on repository.id = repository_id where repository.name = ${at.split("/")[3] ?? ""}`;
  const news = {
    about: "closed",
    issueId: Number(row?.["id"]),
    commentId: null,
    reviewId: null,
    teamId: null,
  } as const;
  await app.forge.change(serverDoer("test"), (work) =>
    work.enqueue(newJob("issue-mail", { ...news, doerId: alice.id, at: 0, userId })),
  );
}

const readers = async () => (await mails()).map(({ to }) => to);

describe("whoever lost access", () => {
  test("gets no mail that was on its way", async () => {
    const at = await repository({ private: true });
    await alice.api.put(`${at}/collaborators/bob`, { permission: "read" });
    const number = await open(at, {}, bob);
    await mails();
    await alice.api.delete(`${at}/collaborators/bob`);
    await comment(at, number, "A secret", alice);
    expect(await readers()).toEqual([]);
    // The job was there before the right was lost.
    const [row] =
      await sql`select id from issue where repository_id = (select id from repository where name = ${at.split("/")[3] ?? ""})`;
    const news = {
      about: "closed",
      issueId: Number(row?.["id"]),
      commentId: null,
      reviewId: null,
      teamId: null,
      doerId: alice.id,
      at: 0,
    } as const;
    const send = (userId: number) =>
      app.forge.change(serverDoer("test"), (work) => work.enqueue(newJob("issue-mail", { ...news, userId })));
    await send(bob.id);
    expect(await readers()).toEqual([]);
    await alice.api.put(`${at}/collaborators/bob`, { permission: "read" });
    await send(bob.id);
    expect(await readers()).toEqual(["bob"]);
  });

  test("is not told of an issue without the unit, a suspended one nothing, and neither is an address that is nobody's yet", async () => {
    const at = await repository();
    const number = await open(at, { body: "@bob @carol @dave" });
    expect(await readers()).toEqual(["bob", "carol", "dave"]);
    await sql`update account set suspended = true where owner_id = ${carol.id}`;
    await sql`update email_address set verified = false where user_id = ${dave.id}`;
    await comment(at, number, "Again", alice);
    expect(await readers()).toEqual(["bob"]);
    await sql`update account set suspended = false where owner_id = ${carol.id}`;
    await sql`update email_address set verified = true where user_id = ${dave.id}`;
    await send(at, bob);
    expect(await readers()).toEqual(["bob"]);
    await alice.api.patch(at, { has_issues: false });
    await send(at, bob);
    expect(await readers()).toEqual([]);
  });
});

describe("an issue", () => {
  test("is a thread of mails, as a text and as HTML", async () => {
    const at = await repository();
    const name = at.slice("/repos/".length);
    await carol.api.put(`/repos/${name}/subscription`);
    const number = await open(at, {
      title: "Broken\u2028 <b>",
      body: "It **broke**\n![x](http://a.example/b.png) #1 @bob",
    });
    const [first, second] = await mails();
    expect([first?.to, second?.to]).toEqual(["bob", "carol"]);
    const page = `${app.url}/${name}/issues/${number}`;
    expect(first?.header("From")).toBe("alice <forge@example.com>");
    expect(first?.header("Message-ID")).toMatch(/^<issue-\d+@127\.0\.0\.1>$/);
    expect(first?.header("In-Reply-To")).toBe("");
    expect(first?.header("List-ID")).toBe(`${name} <${name.replace("/", ".")}.127.0.0.1>`);
    expect(first?.header("Auto-Submitted")).toBe("auto-generated");
    expect(first?.subject).toBe(`[${name}] Broken <b> (#${number})`);
    expect(first?.source).toContain(`alice opened the issue ${name}#${number}:`);
    expect(first?.source).toContain("It **broke**");
    expect(first?.source).toContain("It <strong>broke</strong><br />");
    expect(first?.source).toContain('<a href="http://a.example/b.png" rel="nofollow">x</a>');
    expect(first?.source).not.toContain("<img");
    expect(first?.source).toContain(`<a href="${page}" class="ref-issue" rel="nofollow">#1</a>`);
    expect(first?.source).toContain(`<a href="${page}">Show it</a>`);

    await comment(at, number, "Me too", bob);
    const [toAlice, toCarol, ...more] = await mails();
    expect([toAlice?.to, toCarol?.to, more]).toEqual(["alice", "carol", []]);
    expect(toAlice?.subject).toBe(`Re: [${name}] Broken <b> (#${number})`);
    expect(toAlice?.header("Message-ID")).toMatch(/^<comment-\d+\.issue-\d+@127\.0\.0\.1>$/);
    expect(toAlice?.header("In-Reply-To")).toBe(first?.header("Message-ID") ?? "none");
    expect(toAlice?.header("References")).toBe(first?.header("Message-ID") ?? "none");
    expect(toAlice?.source).toContain(`${page}#issuecomment-`);

    for (const state of ["closed", "open"]) {
      await alice.api.patch(`${at}/issues/${number}`, { state });
      const [told] = await mails();
      expect(told?.source).toContain(`alice ${state === "open" ? "reopened" : "closed"} the issue ${name}#${number}.`);
      expect(told?.header("References")).toBe(first?.header("Message-ID") ?? "none");
    }
  });

  test("sends one mail for one deed, also to whom it names and assigns", async () => {
    const at = await repository();
    await alice.api.put(`${at}/collaborators/bob`, { permission: "write" });
    const number = await open(at, { body: "@bob", assignees: ["bob"] });
    expect((await mails()).map(({ to, subject }) => [to, subject.startsWith("Re:")])).toEqual([["bob", false]]);
    await comment(at, number, "@bob and @carol", alice);
    expect(await readers()).toEqual(["bob", "carol"]);
    await alice.api.patch(`${at}/issues/${number}`, { assignees: ["bob", "alice"] });
    expect(await readers()).toEqual([]);
    await bob.api.patch(`${at}/issues/${number}`, { body: "Also @dave", assignees: ["alice"] });
    expect((await mails()).map(({ to, source }) => [to, /named you in|assigned you to/.exec(source)?.[0]])).toEqual([
      ["dave", "named you in"],
    ]);
    await bob.api.patch(`${at}/issues/${number}`, { assignees: [] });
    await bob.api.patch(`${at}/issues/${number}`, { assignees: ["alice"] });
    expect((await mails()).map(({ to, source }) => [to, /named you in|assigned you to/.exec(source)?.[0]])).toEqual([
      ["alice", "assigned you to"],
    ]);
  });

  test("sends none to those who keep the doer away, and none of what the server does itself", async () => {
    const at = await repository();
    const number = await open(at, {}, carol);
    await mails();
    expect((await carol.api.put("/user/blocks/alice")).status).toBe(204);
    await comment(at, number, "Hello", alice);
    expect(await readers()).toEqual([]);
    expect((await carol.api.delete("/user/blocks/alice")).status).toBe(204);
    const [owner = "", name = ""] = at.split("/").slice(2);
    const { repository: access } = await app.forge.identity.findSubject(
      { userId: alice.id },
      { ownerName: owner, repositoryName: name },
    );
    await app.forge.change(seedDoer(), async (work) => {
      if (access !== null) {
        const what = {
          title: "Seeded",
          body: "@carol",
          ref: "",
          labels: [],
          milestone: null,
          dueAt: null,
          closed: false,
        };
        await createIssue(work, access, { ...what, assignees: ["alice"] });
      }
    });
    expect(await readers()).toEqual([]);
  });

  test("of a watched repository is sent for the kinds that the watcher chose, as the inbox tells it", async () => {
    const at = await repository();
    const name = at.split("/")[3] ?? "";
    const watches = async (issues: boolean) =>
      sql`insert into watch (user_id, repository_id, issues) select owner.id, repository.id, ${issues} from owner, repository
        where owner.name = 'carol' and repository.name = ${name}
        on conflict (user_id, repository_id) do update set issues = excluded.issues`;
    const notified = async () =>
      (await carol.api.get<{ subject: { title: string } }[]>("/notifications?all=true")).body.length;
    const before = await notified();
    await watches(false);
    await open(at, {}, bob);
    expect(await readers()).not.toContain("carol");
    expect(await notified()).toBe(before);
    await watches(true);
    await open(at, {}, bob);
    expect(await readers()).toContain("carol");
    expect(await notified()).toBe(before + 1);
  });

  test("of many readers is told by jobs, and everybody gets one mail", async () => {
    const at = await repository();
    const name = at.split("/")[3] ?? "";
    await sql`insert into owner (kind, name, lower_name, email) select 'user', 'many' || n, 'many' || n, 'many' || n || '@example.com' from generate_series(1, 104) n`;
    await sql`insert into account (owner_id) select id from owner where name like 'many%'`;
    await sql`insert into email_address (user_id, email, lower_email, verified, "primary")
      select id, email, email, true, true from owner where name like 'many%'`;
    await sql`insert into watch (user_id, repository_id) select owner.id, repository.id from owner, repository
      where owner.name like 'many%' and repository.name = ${name}`;
    await open(at, {}, bob);
    const told = await readers();
    expect(new Set(told).size).toBe(105);
    expect(told).toHaveLength(105);
    await sql`delete from owner where name like 'many%'`;
  });
});

describe("a pull request", () => {
  test("is a thread of its own, with its reviews and what is asked of whom", async () => {
    const at = await repository({ auto_init: true });
    const name = at.slice("/repos/".length);
    await commitFile(alice, name, { path: "x.txt", text: "x", branch: "topic", from: "main" });
    await carol.api.put(`${at}/subscription`);
    const { status, body } = await alice.api.post<{ number: number }>(`${at}/pulls`, {
      title: "Mend it",
      base: "main",
      head: "topic",
    });
    expect(status).toBe(201);
    const [opened, ...others] = await mails();
    expect([opened?.to, others]).toEqual(["carol", []]);
    expect(opened?.source).toContain(`alice opened the pull request ${name}#${body.number}.`);
    expect(opened?.source).toContain(`${app.url}/${name}/pulls/${body.number}`);
    const pull = `${at}/pulls/${body.number}`;
    expect((await alice.api.post(`${pull}/requested_reviewers`, { reviewers: ["bob"] })).status).toBe(201);
    expect((await mails()).map(({ to, source }) => [to, source.includes("alice asks you for a review of")])).toEqual([
      ["bob", true],
    ]);
    expect((await bob.api.post(`${pull}/reviews`, { event: "COMMENT", body: "It is *good*" })).status).toBe(200);
    const told = await mails();
    expect(told.map(({ to }) => to)).toEqual(["alice", "carol"]);
    expect(told[0]?.source).toContain(`bob reviewed the pull request ${name}#${body.number}:`);
    expect(told[0]?.source).toContain("It is <em>good</em>");
    expect(told[0]?.header("References")).toBe(opened?.header("Message-ID") ?? "none");
    expect((await alice.api.post(`${pull}/merge`, { Do: "merge" })).status).toBe(200);
    const merged = await mails();
    expect(merged.map(({ to }) => to)).toEqual(["bob", "carol"]);
    expect(merged[0]?.source).toContain(`alice merged the pull request ${name}#${body.number}.`);
  });
});

describe("what somebody chose", () => {
  const choose = async (user: TestUser, choice: string) => {
    const visitor = new WebVisitor(app.url);
    await visitor.signIn(user.name, testPassword);
    return { visitor, page: await visitor.submit("/user/settings/notifications", { choice }) };
  };

  test("says of what they get mails", async () => {
    const at = await repository();
    await bob.api.put(`${at}/subscription`);
    const number = await open(at);
    expect(await readers()).toEqual(["bob"]);
    const { visitor, page } = await choose(bob, "onmention");
    expect(page.status).toBe(303);
    expect((await visitor.get("/user/settings/notifications")).text).toContain('value="onmention" checked');
    await comment(at, number, "Not for bob", alice);
    expect(await readers()).toEqual([]);
    await comment(at, number, "For @bob", alice);
    expect(await readers()).toEqual(["bob"]);
    await comment(at, number, "Not for bob", alice);
    expect(await readers()).toEqual([]);
    await choose(bob, "disabled");
    await comment(at, number, "For @bob", alice);
    expect(await readers()).toEqual([]);
    await choose(bob, "andyourown");
    await comment(at, number, "By bob", bob);
    expect(await readers()).toEqual(["alice", "bob"]);
    await choose(bob, "");
    await comment(at, number, "By bob", bob);
    expect(await readers()).toEqual(["alice"]);
    expect((await choose(bob, "sometimes")).page.status).toBe(422);
  });
});

describe("a link that ends the mails", () => {
  async function linkTo(at: string, number: number): Promise<string> {
    await comment(at, number, "News", alice);
    const [mail] = await mails();
    expect(mail?.header("List-Unsubscribe-Post")).toBe("List-Unsubscribe=One-Click");
    return /^<(\S+)>$/.exec(mail?.header("List-Unsubscribe") ?? "")?.[1] ?? "";
  }

  test("does so with one click, without a sign-in, once and for all of this issue", async () => {
    const at = await repository();
    const [number, other] = [await open(at, { body: "@bob" }), await open(at, { body: "@bob" })];
    await mails();
    const link = await linkTo(at, number);
    expect(link).toStartWith(`${app.url}/user/unsubscribe?token=`);
    for (const init of [
      { headers: { "content-type": "application/x-www-form-urlencoded" }, body: "List-Unsubscribe=One-Click" },
      { headers: { origin: "https://mail.example", "sec-fetch-site": "cross-site" } },
    ]) {
      const response = await fetch(link, { method: "POST", redirect: "manual", ...init });
      expect(response.status).toBe(200);
    }
    await comment(at, number, "More", alice);
    await comment(at, other, "More", alice);
    expect((await mails()).map(({ to, subject }) => [to, subject.includes(`#${other})`)])).toEqual([["bob", true]]);
    expect((await bob.api.get(`${at}/issues/${number}/subscriptions/check`)).body).toMatchObject({ subscribed: false });
  });

  test("changes nothing when a program opens it, and says nothing of the issue", async () => {
    const at = await repository();
    const number = await open(at, { title: "Confidential", body: "@bob" });
    await mails();
    const link = await linkTo(at, number);
    const visitor = new WebVisitor(app.url);
    const page = await visitor.get(link.slice(app.url.length));
    expect(page.status).toBe(200);
    expect(page.text).not.toContain("Confidential");
    await comment(at, number, "More", alice);
    expect(await readers()).toEqual(["bob"]);
    expect((await visitor.post(link.slice(app.url.length), {})).status).toBe(200);
    await comment(at, number, "More", alice);
    expect(await readers()).toEqual([]);
  });

  test("is refused when it is forged, and needs no issue that is still there", async () => {
    const at = await repository();
    const number = await open(at, { body: "@bob" });
    await mails();
    const link = await linkTo(at, number);
    const [head = "", userId = "", issueId = "", signature = ""] =
      /^(.*=)(\d+)\.(\d+)\.(.*)$/.exec(link)?.slice(1) ?? [];
    for (const token of [
      "",
      "1.2.3",
      `${carol.id}.${issueId}.${signature}`,
      `${userId}.1${issueId}.${signature}`,
      `${userId}.${issueId}.${signature.slice(1)}`,
    ]) {
      for (const method of ["GET", "POST"]) {
        expect((await fetch(head + token, { method })).status).toBe(422);
      }
    }
    const gone = writeUnsubscribeToken(app.forge.keys.unsubscribe, { userId: bob.id, issueId: 987_654_321 });
    expect((await fetch(head + gone, { method: "POST" })).status).toBe(200);
    await comment(at, number, "More", alice);
    expect(await readers()).toEqual(["bob"]);
  });
});
