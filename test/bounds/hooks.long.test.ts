import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { Receiver } from "../support/receiver.ts";
import { useTestApp, type TestUser } from "../support/test-app.ts";
import { until } from "../support/until.ts";

/** What one owner's many webhooks are told of a push of many branches lets the webhooks of others be told in between. */

setDefaultTimeout(600_000);

const app = await useTestApp({ outbound: { allowed_networks: ["127.0.0.1"] } });
const { sql } = app.forge.database;
const receiver = new Receiver();
afterAll(() => receiver[Symbol.asyncDispose]());
const alice = await app.user("alice");
const bob = await app.user("bob");

const pushes = 3;
const refsOfPush = 1000;

async function hooked(user: TestUser, name: string, hooks: number): Promise<number> {
  const { id } = await app.repository(user, name, { auto_init: true });
  for (let hook = 0; hook < hooks; hook++) {
    const config = { url: receiver.url(`/${name}`), content_type: "json" };
    const option = { type: "gitea", active: true, events: ["push", "create", "issues_only"], config };
    // A repository has a hundred at most, and its owner as many again.
    const path = hook < 100 ? `/repos/${user.name}/${name}/hooks` : "/user/hooks";
    expect((await user.api.post(path, option)).status).toBe(201);
  }
  return id;
}

test("200 webhooks of one owner, told of 3,000 branches, delay no webhook of another", async () => {
  const busy = await hooked(alice, "busy", 200);
  await hooked(bob, "calm", 1);
  await until("nothing waits", async () => (await sql`select from outbox_receiver`).length > 0);
  const { body } = await alice.api.get<{ commit: { id: string } }>("/repos/alice/busy/branches/main");
  const refs = Array.from({ length: refsOfPush }, (_, at) => ({
    name: `refs/heads/topic-${at}`,
    oldOid: null,
    newOid: body.commit.id,
  }));
  const named = { id: busy, name: "busy", private: false, owner: { id: alice.id, name: "alice" } };
  const payload = JSON.stringify({
    repository: named,
    refs,
    total: refsOfPush,
    reason: "push",
    packBytes: 0,
    defaultBranch: "main",
  });
  const nobody = JSON.stringify({ kind: "nobody" });
  await sql`insert into outbox (doer, owner_id, repository_id, kind, payload)
    select ${nobody}::jsonb, ${alice.id}, ${busy}, 'refs.moved', ${payload}::jsonb from generate_series(1, ${pushes}::integer)`;
  const asked = performance.now();
  expect((await bob.api.post("/repos/bob/calm/issues", { title: "Calm" })).status).toBe(201);
  await until("Bob's webhook is told", () => receiver.received.some(({ path }) => path === "/calm"));
  const [left] = await sql`select count(*)::integer as n from hook_event where make_at is not null`;
  console.log(`Bob's webhook was told after ${Math.round(performance.now() - asked)} ms, before ${left?.["n"]} events`);
  expect(left?.["n"]).toBeGreaterThan(200 * pushes);
});
