import { afterAll, describe, expect, test } from "bun:test";
import { silentLogger, type Logger } from "../../src/lib/log.ts";
import { countJobs } from "../../src/queue/queries.ts";
import { MailCatcher } from "../support/mail-catcher.ts";
import { TestApp, type TestUser } from "../support/test-app.ts";
import { until } from "../support/until.ts";

/** A job runs on the authority of whoever caused it, as it is when the job runs. */

const catcher = await MailCatcher.start();
afterAll(() => catcher[Symbol.asyncDispose]());
const refused: { doer: { credential?: { kind: string } }; reason: string }[] = [];
const log: Logger = {
  ...silentLogger,
  info: (fields, message) => void (message.startsWith("A job was refused") && refused.push(fields as never)),
};
const app = await TestApp.start(
  { mail: { smtp_host: "127.0.0.1", smtp_port: catcher.port, smtp_security: "none", from: "f@example.com" } },
  log,
);
afterAll(() => app[Symbol.asyncDispose]());
const { sql, db } = app.forge.database;
const admin = await app.admin();

/** Has nothing done of what is enqueued meanwhile until it is over. */
async function whileHeldBack(enqueue: () => Promise<unknown>, meanwhile: () => Promise<unknown>): Promise<void> {
  await sql`create function hold_back() returns trigger language plpgsql as $$ begin new.run_at = now() + interval '1 hour'; new.attempts = 1; return new; end $$`;
  await sql`create trigger hold_back before insert on job for each row execute function hold_back()`;
  await enqueue();
  await sql`drop trigger hold_back on job`;
  await sql`drop function hold_back`;
  expect(await countJobs(db)).toEqual({ waiting: 1, running: 0, dead: 0 });
  await meanwhile();
  await sql`update job set run_at = now()`;
  app.forge.pulse.ring();
  await until("the queue is empty", async () => (await countJobs(db)).waiting + (await countJobs(db)).running === 0);
}

const newUser = { username: "newcomer", email: "newcomer@example.com", password: "the secret password" };

describe("a mail that a user asked for", () => {
  test("is sent when nothing has changed", async () => {
    const alice = await app.user("alice");
    const sent = catcher.mails.length;
    await whileHeldBack(
      () => alice.api.post("/user/emails", { emails: ["alice@second.example"] }),
      async () => {},
    );
    expect((await catcher.mail(sent)).to).toEqual(["alice@second.example"]);
    expect(refused).toEqual([]);
  });

  test.each([
    ["the token is deleted", "token", (user: TestUser) => sql`delete from access_token where user_id = ${user.id}`],
    [
      "the token has other scopes",
      "token",
      (user: TestUser) => sql`update access_token set scopes = '{read:user}' where user_id = ${user.id}`,
    ],
    [
      "the account is suspended",
      "token",
      (user: TestUser) => sql`update account set suspended = true where owner_id = ${user.id}`,
    ],
    ["the account is deleted", "token", (user: TestUser) => sql`delete from owner where id = ${user.id}`],
    [
      "the password is another one",
      "password",
      (user: TestUser) => sql`update account set password_hash = 'x' where owner_id = ${user.id}`,
    ],
  ])("is not sent, and not tried again, when %s", async (what, kind, change) => {
    const user = await app.user(`user-${what.replaceAll(" ", "-").slice(4)}`);
    const client = kind === "password" ? app.withPassword(user.name) : user.api;
    const [sent, before] = [catcher.mails.length, refused.length];
    await whileHeldBack(
      async () =>
        expect((await client.post("/user/emails", { emails: [`${user.name}@second.example`] })).status).toBe(201),
      async () => void (await change(user)),
    );
    expect(refused.length).toBe(before + 1);
    expect(refused.at(-1)?.doer.credential?.kind).toBe(kind);
    expect(catcher.mails.length).toBe(sent);
    expect(await countJobs(db)).toEqual({ waiting: 0, running: 0, dead: 0 });
  });
});

test("what only administrators have done is not done for who has been one", async () => {
  const former = await app.admin("former");
  const [sent, before] = [catcher.mails.length, refused.length];
  await whileHeldBack(
    async () => expect((await former.api.post("/admin/users", { ...newUser, send_notify: true })).status).toBe(201),
    async () => void (await sql`update account set is_admin = false where owner_id = ${former.id}`),
  );
  expect(refused.slice(before).map(({ reason }) => reason)).toEqual([
    "The token does not have the required scope: write:admin",
  ]);
  expect(catcher.mails.length).toBe(sent);
  const runs = async () =>
    (await admin.api.get<{ name: string; exec_times: number }[]>("/admin/cron")).body.find(
      ({ name }) => name === "delete_expired",
    )?.exec_times;
  const other = await app.admin("other");
  await whileHeldBack(
    async () => expect((await other.api.post("/admin/cron/delete_expired")).status).toBe(204),
    async () => void (await sql`update account set is_admin = false where owner_id = ${other.id}`),
  );
  expect([await runs(), refused.length]).toEqual([0, before + 2]);
});
