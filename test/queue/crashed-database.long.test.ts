import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { Type } from "typebox";
import { openDatabase } from "../../src/db/client.ts";
import { parseConnectionUrl } from "../../src/db/connection-options.ts";
import { silentLogger } from "../../src/lib/log.ts";
import { enqueue } from "../../src/queue/enqueue.ts";
import { JobRunner } from "../../src/queue/job-runner.ts";
import { QueuePulse } from "../../src/queue/queue-pulse.ts";
import { countJobs } from "../../src/queue/queries.ts";
import { holdQueue } from "../support/hold-queue.ts";
import { startCluster } from "../support/cluster.ts";
import { until } from "../support/until.ts";

/** PostgreSQL restarts all its processes when one of them is killed. The queue goes on by itself, however often that happens. */

setDefaultTimeout(300_000);

const rounds = 8;
/** From the crash until the jobs that it met, and new ones, are done. */
const boundMs = 60_000;

const cluster = await startCluster();
const target = parseConnectionUrl(cluster.url);
const { db, sql, ...database } = openDatabase({ target, connections: 4, statementTimeoutMs: 30_000 });
afterAll(async () => {
  await database[Symbol.asyncDispose]();
  await cluster[Symbol.asyncDispose]();
});

const note = {
  payload: Type.Object({ number: Type.Integer() }),
  attempts: 25,
  timeLimitMs: 60_000,
  concurrency: 6,
};

/** Does it again while the database is about to come back. */
async function persist<Result>(work: () => Promise<Result>): Promise<Result> {
  let result: { value: Result } | null = null;
  await until("the database is back", async () => {
    result = await work().then(
      (value) => ({ value }),
      () => null,
    );
    return result !== null;
  });
  return result!.value;
}

const add = (number: number) =>
  persist(() =>
    db.transaction((tx) => enqueue(tx, { kind: "server", reason: "test" }, { kind: "note", payload: { number } })),
  );

test(`the queue works again within ${boundMs / 1000} s after each of ${rounds} crashes while jobs run`, async () => {
  const done = new Set<number>();
  await using _runner = new JobRunner({
    name: "one",
    db,
    log: silentLogger,
    scheduled: false,
    pulse: new QueuePulse({ note }),
    perform: async ({ payload }) => {
      const { number } = payload as { number: number };
      // As jobs do, which ask the same database.
      await sql`select pg_sleep(${0.02 * (number % 5)})`;
      done.add(number);
    },
  });
  let last = 0;
  for (let round = 0; round < rounds; round++) {
    const before = done.size;
    for (let index = 0; index < 40; index++) {
      await add(last++);
    }
    await until("some are done", () => done.size > before + round);
    const [backend] = await persist(
      () => sql<{ pid: number }[]>`select pid from pg_stat_activity where pid <> pg_backend_pid()
        and application_name = 'stithy' limit 1`,
    );
    process.kill(backend!.pid, "SIGKILL");
    await add(last++);
    const crashed = performance.now();
    await until("all are done", () => done.size === last, boundMs);
    console.log(`round ${round}: ${Math.round(performance.now() - crashed)} ms`);
  }
  await until(
    "nothing is left",
    async () => {
      const { waiting, running, dead } = await persist(() => countJobs(db));
      expect(dead).toBe(0);
      return waiting + running === 0;
    },
    boundMs,
  );
});

test("a stop waits no longer than ten seconds for a database that does not answer", async () => {
  await using _held = await holdQueue(sql);
  const runner = new JobRunner({
    name: "stopping",
    db,
    log: silentLogger,
    scheduled: false,
    pulse: new QueuePulse({ note }),
    perform: async () => {},
  });
  await until("it waits for the lock", async () => {
    const [waiting] = await sql`select 1 from pg_locks where locktype = 'advisory' and not granted`;
    return waiting !== undefined;
  });
  const started = performance.now();
  await runner[Symbol.asyncDispose]();
  // A statement may take thirty.
  expect(performance.now() - started).toBeLessThan(25_000);
});
