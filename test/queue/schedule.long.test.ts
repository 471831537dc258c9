import { afterAll, beforeEach, expect, test } from "bun:test";
import { Type } from "typebox";
import { openDatabase } from "../../src/db/client.ts";
import { parseConnectionUrl } from "../../src/db/connection-options.ts";
import { silentLogger } from "../../src/lib/log.ts";
import { enqueue } from "../../src/queue/enqueue.ts";
import { JobRunner } from "../../src/queue/job-runner.ts";
import { QueuePulse } from "../../src/queue/queue-pulse.ts";
import { countJobs } from "../../src/queue/queries.ts";
import { createTestDatabase } from "../support/cluster.ts";
import { until } from "../support/until.ts";

const testDatabase = await createTestDatabase();
const target = parseConnectionUrl(testDatabase.url);
const database = openDatabase({ target, connections: 2, statementTimeoutMs: 30_000 });
afterAll(async () => {
  await database[Symbol.asyncDispose]();
  await testDatabase[Symbol.asyncDispose]();
});
beforeEach(async () => {
  await database.sql`delete from job`;
});

const payload = Type.Object({});
const bounds = { payload, attempts: 3, timeLimitMs: 60_000, concurrency: 4 };
const minutely = { ...bounds, schedule: { everySeconds: 60, offsetSeconds: 0 } };
const doer = { kind: "server", reason: "test" } as const;

test("what is done every minute is done once a minute, however many processes there are", async () => {
  const minutes: number[] = [];
  const start = (name: string) =>
    new JobRunner({
      name,
      db: database.db,
      log: silentLogger,
      scheduled: true,
      pulse: new QueuePulse({ minutely }),
      perform: async () => void minutes.push(Math.floor(Date.now() / 60_000)),
    });
  await using _first = start("first");
  await using _second = start("second");
  await using _third = start("third");
  await until("it was done in two minutes", () => minutes.length >= 2, 300_000);
  await until("the queue is empty", async () => (await countJobs(database.db)).waiting === 0);
  expect(minutes).toEqual([...new Set(minutes)]);
}, 330_000);

test("1,000 jobs that were queued before the start are done without a pause", async () => {
  await database.db.transaction(async (tx) => {
    for (let number = 0; number < 1000; number++) {
      await enqueue(tx, doer, { kind: "small", payload: {} });
    }
  });
  const times: number[] = [];
  const started = performance.now();
  await using _runner = new JobRunner({
    name: "one",
    db: database.db,
    log: silentLogger,
    scheduled: false,
    pulse: new QueuePulse({ small: bounds }),
    perform: async () => void times.push(performance.now()),
  });
  await until("all are done", () => times.length === 1000);
  const gaps = times.slice(1).map((time, index) => time - (times[index] ?? time));
  const longest = Math.max(...gaps);
  const all = (times.at(-1) ?? 0) - started;
  console.log(`1,000 jobs took ${all.toFixed(0)} ms; the longest pause was ${longest.toFixed(0)} ms`);
  // A busy machine takes seconds.
  expect(longest).toBeLessThan(60_000);
});
