import { afterAll, expect, setDefaultTimeout, spyOn, test } from "bun:test";
import { openDatabase } from "../../src/db/client.ts";
import { createLogger } from "../../src/lib/log.ts";
import { Receiver } from "../support/receiver.ts";
import { TestApp } from "../support/test-app.ts";
import { until } from "../support/until.ts";

/** What webhooks hear when the database ends connections, or a payload cannot be made: a fault delays an event and never deletes it. */

setDefaultTimeout(120_000);

const silent = createLogger({ level: "silent", format: "text" });
const app = await TestApp.start({ outbound: { allowed_networks: ["127.0.0.1"] } }, silent);
const { sql } = app.forge.database;
const other = openDatabase({ target: app.forge.database.target, connections: 1, statementTimeoutMs: 30_000 });
const receiver = new Receiver();
afterAll(async () => {
  await app[Symbol.asyncDispose]();
  await other[Symbol.asyncDispose]();
  await receiver[Symbol.asyncDispose]();
});
const alice = await app.user("alice");

const hookOf = async (name: string, path: string) => {
  await app.repository(alice, name);
  const option = { type: "gitea", active: true, events: ["issues_only"] };
  const config = { url: receiver.url(path), content_type: "json" };
  const made = await alice.api.post<{ id: number }>(`/repos/alice/${name}/hooks`, { ...option, config });
  expect(made.status).toBe(201);
  return made.body.id;
};
const numbersAt = (path: string) =>
  receiver.received.filter((one) => one.path === path).map(({ body }) => (body["issue"] as { number: number }).number);

test("each acknowledged issue is told while the database ends connections", async () => {
  await hookOf("dropped", "/dropped");
  const acknowledged: number[] = [];
  const opened = new AbortController();
  const opening = Promise.all(
    Array.from({ length: 4 }, async () => {
      while (acknowledged.length < 60) {
        const made = await alice.api.post<{ number: number }>("/repos/alice/dropped/issues", { title: "Dropped" });
        if (made.status === 201) {
          acknowledged.push(made.body.number);
        }
      }
    }),
  ).finally(() => opened.abort());
  while (!opened.signal.aborted) {
    await other.sql`select pg_terminate_backend(pid) from (select pid from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and application_name = 'stithy' order by random() limit 1) one`;
    await other.sql`select pg_sleep(0.03)`;
  }
  await opening;
  await until("all are told", () => new Set(numbersAt("/dropped")).isSupersetOf(new Set(acknowledged)), 90_000);
  // In order, where each counts as it came first.
  const told = [...new Set(numbersAt("/dropped"))];
  expect(told).toEqual(told.toSorted((one, two) => one - two));
});

/** An event that waits for its payload, with a delivery to the hook. Returns its id. */
async function insertEvent(hookId: number, source: object): Promise<number> {
  const [event] = await sql`insert into hook_event (type, action, at, source, make_at)
    values ('issues', 'opened', now(), ${JSON.stringify(source)}::jsonb, now()) returning id`;
  const id = Number(event?.["id"]);
  await sql`insert into hook_delivery (uuid, hook_id, event_id) values (gen_random_uuid(), ${hookId}, ${id})`;
  app.forge.bell.ring();
  return id;
}
const failuresOf = async (id: number) => {
  const [row] = await sql`select failures, make_at, source is null as made from hook_event where id = ${id}`;
  return row === undefined
    ? null
    : { failures: Number(row["failures"]), rests: row["make_at"] !== null, made: row["made"] };
};

test("a payload that cannot be made is tried again, becomes a dead letter, and is made when it is delivered again", async () => {
  const hookId = await hookOf("faulty", "/faulty");
  const id = await insertEvent(hookId, { kind: "mystery.happened", doer: { kind: "nobody" }, event: {} });
  // What comes after it waits for it: the order stays.
  await alice.api.post("/repos/alice/faulty/issues", { title: "After it" });
  for (let failures = 1; failures < 6; failures++) {
    await until(`it failed ${failures} times`, async () => (await failuresOf(id))?.failures === failures);
    expect(await failuresOf(id)).toEqual({ failures, rests: true, made: false });
    expect(numbersAt("/faulty")).toEqual([]);
    await sql`update hook_event set make_at = now() where id = ${id}`;
    app.forge.bell.ring();
  }
  await until("the next one is told", () => numbersAt("/faulty").length === 1);
  expect(await failuresOf(id)).toEqual({ failures: 6, rests: false, made: false });
  const path = `/repos/alice/faulty/hooks/${hookId}/deliveries`;
  const { body } = await alice.api.get<{ id: number; state: string; attempts: number }[]>(path);
  const dead = body.find(({ state }) => state === "dead");
  expect(dead).toMatchObject({ state: "dead", attempts: 0 });
  // The operator hears of it.
  const health = await fetch(`${app.url}/api/healthz`);
  expect(await health.json()).toMatchObject({ status: "warn" });

  const [{ source } = { source: null }] =
    await sql`select payload as source from outbox where kind = 'issue.opened' limit 1`;
  const opened = JSON.stringify({ kind: "issue.opened", doer: { kind: "nobody" }, event: source });
  await sql`update hook_event set source = ${opened}::jsonb where id = ${id}`;
  expect((await alice.api.post(`${path}/${dead?.id}/attempts`, {})).status).toBe(202);
  await until("it is told", () => receiver.received.filter((one) => one.path === "/faulty").length === 2);
  expect(await failuresOf(id)).toEqual({ failures: 0, rests: false, made: true });
});

test("an event of which there is nothing to tell any more holds nobody up", async () => {
  const hookId = await hookOf("nothing", "/nothing");
  const repository = { id: 987_654_321, name: "gone", private: false, owner: { id: alice.id, name: "alice" } };
  const gone = { kind: "repository.archived", doer: { kind: "nobody" }, event: { repository } };
  using logged = spyOn(app.forge.log, "info");
  const id = await insertEvent(hookId, gone);
  await alice.api.post("/repos/alice/nothing/issues", { title: "After it" });
  await until("the next one is told", () => numbersAt("/nothing").length === 1);
  expect(await failuresOf(id)).toBeNull();
  expect(logged.mock.calls).toContainEqual([
    { event: id, type: "issues", kind: "repository.archived" },
    "An event for webhooks is removed: nothing is left of what it is about",
  ]);
});
