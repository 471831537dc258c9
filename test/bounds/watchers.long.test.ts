import { expect, setDefaultTimeout, test } from "bun:test";
import { useTestApp, type TestUser } from "../support/test-app.ts";
import { until } from "../support/until.ts";

/** What one user does before many watchers keeps the queue short, and others hear of theirs in between. */

setDefaultTimeout(600_000);

const app = await useTestApp();
const { sql } = app.forge.database;
const alice = await app.user("alice");
const bob = await app.user("bob");

async function watched(user: TestUser, name: string, watchers: number): Promise<number> {
  const { id } = await app.repository(user, name);
  await sql`with made as (insert into owner (kind, name, lower_name)
      select 'user', ${name} || '-' || n, ${name} || '-' || n from generate_series(1, ${watchers}::integer) n returning id),
    known as (insert into account (owner_id) select id from made returning owner_id)
    insert into watch (repository_id, user_id) select ${id}, owner_id from known`;
  return id;
}
const jobs = async () => {
  const [row] = await sql`select count(*)::integer as n from job where kind = 'notify'`;
  return Number(row?.["n"]);
};
const notified = async (repositoryId: number) => {
  const [row] =
    await sql`select count(distinct user_id)::integer as n from notification where repository_id = ${repositoryId}`;
  return Number(row?.["n"]);
};

test("300 comments on one issue before 10,000 watchers are a few jobs, and another's 150 watchers hear meanwhile", async () => {
  const busy = await watched(alice, "busy", 10_000);
  const calm = await watched(bob, "calm", 150);
  const issues = 20;
  for (let issue = 1; issue <= issues; issue++) {
    await alice.api.post("/repos/alice/busy/issues", { title: `Issue ${issue}` });
  }
  let most = 0;
  for (let comment = 0; comment < 300; comment++) {
    const made = await alice.api.post("/repos/alice/busy/issues/1/comments", { body: `Comment ${comment}` });
    expect(made.status).toBe(201);
    most = Math.max(most, await jobs());
  }
  // One runs and one waits of each issue.
  expect(most).toBeLessThanOrEqual(issues + 2);
  for (let issue = 1; issue <= issues; issue++) {
    await alice.api.post(`/repos/alice/busy/issues/${issue}/comments`, { body: "Once more" });
  }
  const before = await jobs();
  const asked = performance.now();
  await bob.api.post("/repos/bob/calm/issues", { title: "Calm" });
  await until("Bob's watchers hear of it", async () => (await notified(calm)) === 150);
  console.log(`Bob's watchers heard after ${Math.round(performance.now() - asked)} ms`);
  // It did not wait for all that Alice has caused.
  expect(before - (await jobs())).toBeLessThan(issues / 2);
  await until("the queue is empty", async () => (await jobs()) === 0, 300_000);
  expect(await notified(busy)).toBe(10_000);
});
