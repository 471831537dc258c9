import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, expect, test } from "bun:test";
import { cleanHooks } from "../../src/domain/exchange/hooks/clean-hooks.ts";
import { waitUntilIdle } from "../../src/domain/server/wait-until-idle.ts";
import { checkSeedFile, seedFile } from "../../src/domain/exchange/seeding/seed-file.ts";
import { MailCatcher, readQuotedPrintable } from "../support/mail-catcher.ts";
import { Receiver } from "../support/receiver.ts";
import { useTestApp, type TestUser } from "../support/test-app.ts";
import { until } from "../support/until.ts";

/** Webhooks: the mail about one that is switched off, what is removed after a while, and seeds, of which no webhook hears. */

const catcher = await MailCatcher.start();
afterAll(() => catcher[Symbol.asyncDispose]());
const app = await useTestApp({
  outbound: { allowed_networks: ["127.0.0.1"] },
  mail: { smtp_host: "127.0.0.1", smtp_port: catcher.port, smtp_security: "none", from: "Forge <forge@example.com>" },
});
const { sql } = app.forge.database;
const receiver = new Receiver();
afterAll(() => receiver[Symbol.asyncDispose]());
const [root, alice, bob, carol] = [
  await app.admin("root"),
  await app.user("alice"),
  await app.user("bob"),
  await app.user("carol"),
];
await app.organization("smiths", bob);
afterEach(() => void catcher.mails.splice(0));

async function makeHook(by: TestUser, path: string, url: string): Promise<number> {
  const option = { type: "gitea", active: true, events: ["issues_only"], config: { url, content_type: "json" } };
  const { status, body } = await by.api.post<{ id: number }>(path, option);
  expect(status).toBe(201);
  return body.id;
}

async function openIssue(by: TestUser, repository: string): Promise<void> {
  expect((await by.api.post(`/repos/${repository}/issues`, { title: "Broken" })).status).toBe(201);
}

interface Delivery {
  id: number;
  attempts: number;
  state: string;
}
const deliveriesOf = async (by: TestUser, hookPath: string) =>
  (await by.api.get<Delivery[]>(`${hookPath}/deliveries`)).body;

/** Has a hook fail once, as if it had failed for days by then. */
async function failForDays(hookId: number, tried: () => Promise<boolean>): Promise<void> {
  await until("it was tried", tried);
  await sql`update hook set failing_since = now() - interval '73 hours', next_at = now() where id = ${hookId}`;
  app.forge.bell.ring();
  await until("it is off", async () => {
    const [row] = await sql<{ active: boolean }[]>`select active from hook where id = ${hookId}`;
    return row?.active === false;
  });
  await waitUntilIdle(app.forge, 60_000);
}

const readersOfMails = () => catcher.mails.flatMap(({ to }) => to).toSorted();

test("the owner of a repository is told by mail that its webhook was switched off, and to which host it led", async () => {
  await app.repository(alice, "shop");
  receiver.answer = () => new Response("", { status: 500 });
  const hookId = await makeHook(alice, "/repos/alice/shop/hooks", `${receiver.url("/T0P/s3cret")}?key=hush`);
  await openIssue(alice, "alice/shop");
  const hookPath = `/repos/alice/shop/hooks/${hookId}`;
  await failForDays(hookId, async () => (await deliveriesOf(alice, hookPath))[0]?.attempts === 1);
  expect(readersOfMails()).toEqual(["alice@example.com"]);
  const source = readQuotedPrintable(catcher.mails[0]!.source);
  expect(source).toContain("Subject: A webhook of alice/shop was switched off on ");
  expect(source).toContain(`webhook ${hookId} of alice/shop could not be delivered to ${new URL(receiver.url()).host}`);
  // The rest of an address is a secret with many services.
  expect(source).not.toMatch(/s3cret|hush/);
  // Nothing more is sent, so nobody is told twice.
  await openIssue(alice, "alice/shop");
  await waitUntilIdle(app.forge, 60_000);
  expect(readersOfMails()).toHaveLength(1);
});

test("the owners of an organization are told of its webhook, and administrators of one of the instance", async () => {
  await app.repository(bob, "tools", {}, "smiths");
  receiver.answer = () => new Response("", { status: 500 });
  const ours = await makeHook(bob, "/orgs/smiths/hooks", receiver.url("/ours"));
  const option = {
    type: "gitea",
    active: true,
    events: ["issues_only"],
    config: { url: receiver.url("/all"), content_type: "json" },
  };
  const { body: all } = await root.api.post<{ id: number }>("/admin/hooks", { ...option, is_system_webhook: true });
  await openIssue(bob, "smiths/tools");
  await failForDays(ours, async () => (await deliveriesOf(bob, `/orgs/smiths/hooks/${ours}`))[0]?.attempts === 1);
  expect(readersOfMails()).toEqual(["bob@example.com"]);
  catcher.mails.splice(0);
  await failForDays(all.id, async () => (await deliveriesOf(root, `/admin/hooks/${all.id}`))[0]?.attempts === 1);
  expect(readersOfMails()).toEqual(["root@example.com"]);
  expect((await root.api.delete(`/admin/hooks/${all.id}`)).status).toBe(204);
});

test("clean_hooks removes the history of before webhooks.history_days, and the webhooks of what is gone", async () => {
  receiver.answer = () => new Response("");
  await app.repository(carol, "old");
  await app.repository(carol, "gone");
  const kept = await makeHook(carol, "/repos/carol/old/hooks", receiver.url("/old"));
  const left = await makeHook(carol, "/repos/carol/gone/hooks", receiver.url("/gone"));
  const path = `/repos/carol/old/hooks/${kept}`;
  for (let number = 1; number <= 3; number++) {
    await openIssue(carol, "carol/old");
    await until("it is delivered", async () => {
      const all = await deliveriesOf(carol, path);
      return all.length === number && all.every(({ state }) => state === "delivered");
    });
  }
  // The failed one waits for its next try: what waits is no history.
  receiver.answer = () => new Response("", { status: 500 });
  await openIssue(carol, "carol/old");
  await until("it was tried", async () => {
    const all = await deliveriesOf(carol, path);
    return all.length === 4 && all[0]?.attempts === 1;
  });
  const [waiting, third, second, first] = await deliveriesOf(carol, path);
  const old = [waiting!.id, second!.id, first!.id];
  await sql`update hook_delivery set created_at = now() - interval '31 days' where id = any(${old})`;
  expect((await carol.api.delete("/repos/carol/gone")).status).toBe(204);
  await until("nothing waits for it", async () => {
    const rows = await sql`select from hook_delivery where hook_id = ${left} and state = 'waiting'`;
    return rows.length === 0;
  });
  await waitUntilIdle(app.forge, 60_000);

  expect(await cleanHooks(app.forge, new AbortController().signal)).toBeGreaterThanOrEqual(5);
  expect((await deliveriesOf(carol, path)).map(({ id }) => id)).toEqual([waiting!.id, third!.id]);
  expect(await sql`select from hook where id = ${left}`).toHaveLength(0);
  expect(await sql`select from hook where id = ${kept}`).toHaveLength(1);
  const events = await sql`select from hook_event where not exists (
    select from hook_delivery where event_id = hook_event.id)`;
  expect(events).toHaveLength(0);
  expect((await carol.api.delete(path)).status).toBe(204);
});

test("no webhook hears of what a seed makes", async () => {
  receiver.answer = () => new Response("");
  const directory = mkdtempSync(join(tmpdir(), "stithy-seed-"));
  afterAll(() => rmSync(directory, { recursive: true, force: true }));
  const path = join(directory, "seed.json");
  writeFileSync(
    path,
    JSON.stringify({
      users: [{ username: "dora" }],
      repositories: [
        { owner: "dora", name: "seeded", commits: [{ message: "First", files: { "README.md": "# Seeded\n" } }] },
      ],
      labels: [{ repository: "dora/seeded", name: "bug", color: "#f00" }],
      issues: [{ repository: "dora/seeded", title: "Seeded", labels: ["bug"], comments: [{ body: "Yes" }] }],
    }),
  );
  const option = {
    type: "gitea",
    active: true,
    is_system_webhook: true,
    events: ["push", "create", "issues", "issue_comment", "repository"],
    config: { url: receiver.url("/system"), content_type: "json" },
  };
  const { status, body } = await root.api.post<{ id: number }>("/admin/hooks", option);
  expect(status).toBe(201);
  await checkSeedFile(path, 8);
  const { forge } = app;
  const target = { forge, db: forge.database.db, findSubject: forge.identity.findSubject };
  expect(await seedFile(target, path, () => {})).toMatchObject({ made: { repositories: 1, issues: 1, comments: 1 } });
  // What comes after it is heard, and is the first that is.
  await openIssue(alice, "alice/shop");
  await until("it has come", () => receiver.received.some((one) => one.path === "/system"));
  await waitUntilIdle(forge, 60_000);
  const told = receiver.received.filter((one) => one.path === "/system");
  expect(told.map(({ body: { repository } }) => (repository as { full_name: string }).full_name)).toEqual([
    "alice/shop",
  ]);
  expect((await root.api.delete(`/admin/hooks/${body.id}`)).status).toBe(204);
});
