import { afterAll, expect, test } from "bun:test";
import { serverDoer } from "../../src/domain/spine/doer.ts";
import { silentLogger } from "../../src/lib/log.ts";
import { newJob } from "../../src/queue/enqueue.ts";
import { MailCatcher } from "../support/mail-catcher.ts";
import { TestApp } from "../support/test-app.ts";

const catcher = await MailCatcher.start();
afterAll(() => catcher[Symbol.asyncDispose]());
const mail = { smtp_host: "127.0.0.1", smtp_port: catcher.port, smtp_security: "none", from: "f@example.com" } as const;

async function waitUntilIdle(app: TestApp, query = ""): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`${app.url}/api/internal/idle${query}`, { method: "POST" });
  return { status: response.status, body: await response.json() };
}

test("a lasting server has no such address", async () => {
  await using app = await TestApp.start();
  const { status, body } = await waitUntilIdle(app);
  expect([status, Object.keys(body as object)]).toEqual([404, ["message", "url"]]);
});

test("an ephemeral server answers when what was asked for has happened", async () => {
  await using app = await TestApp.start({ mail }, undefined, { ephemeral: true });
  const alice = await app.user("alice");
  for (let round = 1; round <= 3; round++) {
    const sent = catcher.mails.length;
    await alice.api.post("/user/emails", { emails: [`second${round}@example.com`] });
    expect(await waitUntilIdle(app)).toEqual({ status: 200, body: { idle: true, dead: 0 } });
    expect(catcher.mails.length).toBe(sent + 1);
  }
});

test("what is not idle in time is told, with what is left; jobs that failed for good do not keep it waiting", async () => {
  await using app = await TestApp.start({ mail: { ...mail, smtp_port: 1 } }, silentLogger, { ephemeral: true });
  const alice = await app.user("alice");
  const job = newJob("mail", { about: "account-created", userId: alice.id });
  await app.forge.change(serverDoer("test"), (work) => work.enqueue(job));
  const { status, body } = await waitUntilIdle(app, "?timeout_seconds=0.5");
  expect(status).toBe(503);
  expect(body).toMatchObject({
    message: "Not idle yet: 1 jobs wait or run",
    idle: false,
    dead: 0,
    outbox: false,
    jobs: [{ kind: "mail", attempts: 1 }],
  });
  await app.forge.database.sql`update job set state = 'dead'`;
  expect(await waitUntilIdle(app)).toEqual({ status: 200, body: { idle: true, dead: 1 } });
  const health = (await (await fetch(`${app.url}/api/healthz`)).json()) as {
    status: string;
    checks: { jobs: unknown };
  };
  expect([health.status, health.checks.jobs]).toMatchObject([
    "warn",
    {
      status: "warn",
      output: '1 jobs failed for good; the server\'s log and "stithy doctor" say why',
      observedValue: expect.any(Number),
      observedUnit: "s",
    },
  ]);
});

test.each(["x", "-1", "61", "1e1", ""])("timeout_seconds=%s is no time to wait", async (text) => {
  await using app = await TestApp.start({}, undefined, { ephemeral: true });
  expect((await waitUntilIdle(app, `?timeout_seconds=${text}`)).status).toBe(422);
});
