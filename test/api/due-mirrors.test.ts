import { expect, test } from "bun:test";
import { runRegularTask } from "../../src/domain/server/maintenance/regular-tasks.ts";
import { useTestApp } from "../support/test-app.ts";
import { until } from "../support/until.ts";

/** The job of each mirror with an interval, which waits until the mirror is due. */

const app = await useTestApp();
const alice = await app.user("alice");
const { sql } = app.forge.database;
const address = "http://127.0.0.1:1/x.git";

/** Makes a repository that was, on paper, synchronized now, with an interval of ten minutes. No job waits for it. */
async function makePull(name: string, { filled } = { filled: true }): Promise<number> {
  const { id } = await app.repository(alice, name);
  await sql`update repository set mirror = true where id = ${id}`;
  await sql`insert into pull_mirror (repository_id, address, interval_seconds, prune, tried_at, synced_at)
    select ${id}, ${address}, 600, true, tried_at, tried_at from (select case when ${filled} then now() end as tried_at)`;
  return id;
}

async function makePush(repositoryId: number, name: string, seconds: number): Promise<number> {
  const [row] = await sql<{ id: number }[]>`
    insert into push_mirror (repository_id, name, address, interval_seconds, sync_on_commit, branch_filter)
    values (${repositoryId}, ${name}, ${address}, ${seconds}, false, '') returning id::int`;
  return row!.id;
}

/** The minutes until each job of a mirror. */
async function minutesOf(kind: string, id: number): Promise<number[]> {
  const rows = await sql<{ minutes: number }[]>`
    select round(extract(epoch from run_at - now()) / 60)::int as minutes from job
    where kind = ${kind} and key = ${String(id)} and state <> 'dead' order by id`;
  return rows.map(({ minutes }) => minutes);
}

const look = () => runRegularTask(app.forge, { task: "update_mirrors" }, new AbortController().signal);
const failuresOf = async (id: number) =>
  (await sql<{ failures: number }[]>`select failures from pull_mirror where repository_id = ${id}`)[0]?.failures;

test("a changed interval moves the one job of a mirror, and an interval of 0 removes it", async () => {
  const id = await makePull("edited");
  const edit = async (interval: string) => {
    expect((await alice.api.patch("/repos/alice/edited", { mirror_interval: interval })).status).toBe(200);
    return minutesOf("pull-mirror", id);
  };
  expect(await edit("20m")).toEqual([20]);
  expect(await edit("15m")).toEqual([15]);
  expect(await edit("90m")).toEqual([90]);
  expect(await edit("0")).toEqual([]);
  expect(await edit("2h")).toEqual([120]);
  // Asked for at once, it does not wait for that time; what follows is the rest after a failure.
  expect((await alice.api.post("/repos/alice/edited/mirror-sync")).status).toBe(200);
  await until("it was tried", async () => (await failuresOf(id)) === 1);
  await until("the next try waits", async () => (await minutesOf("pull-mirror", id)).join() === "1");
});

test("a mirror whose job failed for good gets another one; those that rest get none", async () => {
  const lost = await makePull("lost");
  await sql`insert into job (kind, key, doer, payload, state) values ('pull-mirror', ${String(lost)}, '{}', '{}', 'dead')`;
  const push = await makePush(lost, "hourly", 3600);
  const onRequest = await makePush(lost, "on-request", 0);
  const filling = await makePull("filling", { filled: false });
  const archived = await makePull("archived");
  await sql`update repository set archived_at = now() where id = ${archived}`;
  await look();
  await until("the lost ones were tried", async () => {
    const [row] = await sql<{ failures: number }[]>`select failures from push_mirror where id = ${push}`;
    return (await failuresOf(lost)) === 1 && row?.failures === 1;
  });
  expect([await failuresOf(filling), await failuresOf(archived)]).toEqual([0, 0]);
  expect(await minutesOf("push-mirror", onRequest)).toEqual([]);
  await until("the next tries wait", async () => (await minutesOf("pull-mirror", lost)).join() === "1");
  await look();
  expect(await failuresOf(lost)).toBe(1);
});

test("the job of a mirror that is gone goes, too", async () => {
  const { id } = await app.repository(alice, "gone");
  const push = await makePush(id, "short", 3600);
  await look();
  await until("its next try waits", async () => (await minutesOf("push-mirror", push)).join() === "1");
  expect((await alice.api.delete("/repos/alice/gone/push_mirrors/short")).status).toBe(204);
  await look();
  expect(await minutesOf("push-mirror", push)).toEqual([]);
});
