import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { waitUntilIdle } from "../../src/domain/server/wait-until-idle.ts";
import { GitHttpBackend } from "../support/git-http-backend.ts";
import { mustGit } from "../support/git.ts";
import { MailCatcher, readQuotedPrintable } from "../support/mail-catcher.ts";
import { testPassword, useTestApp } from "../support/test-app.ts";
import { until } from "../support/until.ts";
import { WebVisitor } from "../support/web-visitor.ts";

/** How far a migration is, on the pages of whoever asked for it, and the mails about migrations and mirrors that fail. */

const catcher = await MailCatcher.start();
const app = await useTestApp({
  outbound: { allowed_networks: ["127.0.0.0/8", "::1"] },
  mail: { smtp_host: "127.0.0.1", smtp_port: catcher.port, smtp_security: "none", from: "Forge <forge@example.com>" },
});
const { sql } = app.forge.database;
const [alice, bob] = [await app.user("alice"), await app.user("bob")];
await app.organization("smiths", bob);
const root = mkdtempSync(join(tmpdir(), "stithy-backend-"));
await mustGit(root, ["init", "-q", "--bare", "-b", "main", "tour.git"]);
const backend = new GitHttpBackend({ root });
afterAll(async () => {
  await backend[Symbol.asyncDispose]();
  await catcher[Symbol.asyncDispose]();
  rmSync(root, { recursive: true, force: true });
});

const path = "/user/settings/migrations";
const migrate = (fields: object, user = alice) =>
  user.api.post<{ id: number; message: string }>("/repos/migrate", {
    clone_addr: `${backend.url}/tour.git`,
    service: "gitea",
    labels: true,
    ...fields,
  });
/** The texts of the mails that came since this was asked last, with their subjects and readers. */
async function mails() {
  await waitUntilIdle(app.forge, 60_000);
  return catcher.mails.splice(0).map(({ to, source }) => ({ to: to.join(), text: readQuotedPrintable(source) }));
}

test("a page says how far a migration is, to nobody but whoever asked for it, and cancels it", async () => {
  const held = Promise.withResolvers<void>();
  backend.intercept = async ({ url }) => {
    if (!url.includes("/api/v1/")) {
      return null;
    }
    await held.promise;
    return Response.json([]);
  };
  const [mine, other] = [new WebVisitor(app.url), new WebVisitor(app.url)];
  await mine.signIn("alice", testPassword);
  await other.signIn("bob", testPassword);
  expect((await mine.get(path)).text).toContain("not migrated a repository");
  const answer = migrate({ repo_name: "slow" });
  await until("the labels are asked for", async () => {
    const [row] = await sql<{ step: string }[]>`select step from repository_migration`;
    return row?.step === "labels";
  });
  const shown = (await mine.get(path)).text;
  expect(shown).toContain(`${backend.url}/tour.git`);
  expect(shown).toContain('<progress max="100" value="50">50%</progress> 50%: labels');
  expect((await mine.get("/alice/slow")).text).toContain("It is being brought from");
  expect((await other.get("/alice/slow")).text).not.toContain("It is being brought from");
  const id = /name="id" value="(\d+)"/.exec(shown)?.[1] ?? "";
  expect(id).not.toBe("");
  expect((await other.get(path)).text).not.toContain("tour.git");
  // Somebody else's is left alone.
  const csrf = /name="_csrf" value="([^"]+)"/.exec((await other.get("/user/settings/sessions")).text)?.[1] ?? "";
  expect((await other.post(`${path}/cancel`, { id, _csrf: csrf })).status).toBe(303);
  expect((await mine.get(path)).text).toContain("labels");
  await mine.submit(path, { id }, `${path}/cancel`);
  held.resolve();
  expect((await answer).status).toBe(422);
  expect((await mine.get(path)).text).toContain("cancelled");
  expect((await mine.get("/alice/slow")).status).toBe(404);
  expect(await mails()).toEqual([]);
});

test("a failed one says why; a mail does if nobody waited for the answer any more", async () => {
  const held = Promise.withResolvers<void>();
  backend.intercept = async ({ url }) => {
    if (!url.includes("/api/v1/")) {
      return null;
    }
    await held.promise;
    return new Response("", { status: 418 });
  };
  const answer = migrate({ repo_name: "late", auth_token: "s3cret" });
  await until("it is begun", async () => {
    const [row] = await sql<{ step: string }[]>`select step from repository_migration order by id desc limit 1`;
    return row?.step === "labels";
  });
  held.resolve();
  expect((await answer).status).toBe(422);
  expect(await mails()).toEqual([]);

  // One that takes longer than the API waits.
  const again = Promise.withResolvers<void>();
  backend.intercept = async ({ url }) => {
    if (!url.includes("/api/v1/")) {
      return null;
    }
    await again.promise;
    return new Response("", { status: 418 });
  };
  await sql`create function old_migration() returns trigger language plpgsql as
    $$ begin new.created_at := now() - interval '1 minute'; return new; end $$`;
  await sql`create trigger old_migration before insert on repository_migration for each row execute function old_migration()`;
  const later = migrate({ repo_name: "later", auth_token: "s3cret" });
  again.resolve();
  expect((await later).status).toBe(422);
  await sql`drop trigger old_migration on repository_migration`;
  const [mail, ...others] = await mails();
  expect(others).toEqual([]);
  expect(mail?.to).toBe("alice@example.com");
  expect(mail?.text).toContain("Subject: alice/later could not be brought to ");
  expect(mail?.text).toContain("answered with the status 418");
  expect(mail?.text).not.toContain("s3cret");
  const visitor = new WebVisitor(app.url);
  await visitor.signIn("alice", testPassword);
  expect((await visitor.get(path)).text).toContain("answered with the status 418");
});

test("the owners are told of a mirror that failed three times, once, and not of one that works again", async () => {
  backend.intercept = () => null;
  const mirror = { repo_name: "mirror", mirror: true, labels: false, repo_owner: "smiths" };
  const { status, body } = await migrate(mirror, bob);
  expect(status).toBe(201);
  let isDown = true;
  backend.intercept = () => (isDown ? new Response("", { status: 503 }) : null);
  const failures = async () => {
    const [row] = await sql<{ failures: number }[]>`select failures from pull_mirror where repository_id = ${body.id}`;
    return row?.failures;
  };
  const sync = async (wanted: number) => {
    expect((await bob.api.post("/repos/smiths/mirror/mirror-sync")).status).toBe(200);
    await until(`it has failed ${wanted} times`, async () => (await failures()) === wanted);
  };
  await sync(1);
  await sync(2);
  expect(await mails()).toEqual([]);
  await sync(3);
  await sync(4);
  const [mail, ...others] = await mails();
  expect(others).toEqual([]);
  expect(mail?.to).toBe("bob@example.com");
  expect(mail?.text).toContain("Subject: A mirror of smiths/mirror fails on ");
  expect(mail?.text).toContain("answered with the status 503");
  // The reason may tell of the network of the server: it is for those who can do something about it.
  const [writer, reader] = [new WebVisitor(app.url), new WebVisitor(app.url)];
  await writer.signIn("bob", testPassword);
  expect((await writer.get("/smiths/mirror")).text).toContain("the last try failed: ");
  const { text } = await reader.get("/smiths/mirror");
  expect(text).toContain("the last try failed");
  expect(text).not.toContain("503");
  isDown = false;
  await sync(0);

  // The same of a push mirror, whose password nobody reads.
  await app.repository(alice, "pushed", { auto_init: true });
  const push = { remote_address: `${backend.url}/nowhere.git`, remote_username: "ann", remote_password: "s3cret" };
  const made = await alice.api.post<{ remote_name: string }>("/repos/alice/pushed/push_mirrors", push);
  const failed = async () => {
    const [row] = await sql<{ failures: number }[]>`select failures from push_mirror`;
    return row?.failures;
  };
  for (let times = 1; times <= 3; times++) {
    await until(`it has failed ${times} times`, async () => (await failed()) === times);
    expect(await mails()).toHaveLength(times === 3 ? 1 : 0);
    await alice.api.post("/repos/alice/pushed/push_mirrors-sync");
  }
  expect((await alice.api.delete(`/repos/alice/pushed/push_mirrors/${made.body.remote_name}`)).status).toBe(204);
});
