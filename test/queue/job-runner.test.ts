import { describe, expect, test } from "bun:test";
import { Type } from "typebox";
import { silentLogger, type Logger } from "../../src/lib/log.ts";
import { enqueue, withdraw, type NewJob } from "../../src/queue/enqueue.ts";
import { JobFailedForGood } from "../../src/queue/errors.ts";
import type { JobKind, JobName } from "../../src/queue/job-kind.ts";
import { JobRunner, workers, type JobRunnerOptions, type StartedJob } from "../../src/queue/job-runner.ts";
import { migrationJob } from "../../src/jobs/migration.ts";
import { pullMirrorJob } from "../../src/jobs/pull-mirror.ts";
import { pushMirrorJob } from "../../src/jobs/push-mirror.ts";
import { QueuePulse } from "../../src/queue/queue-pulse.ts";
import { countJobs, deleteOldDeadLetters, findLongestWait, listJobs } from "../../src/queue/queries.ts";
import { until } from "../support/until.ts";
import { useQueueDatabase } from "./queue-database.ts";

const { database } = await useQueueDatabase(4);
const { db, sql } = database;

const note: JobKind = {
  payload: Type.Object({ number: Type.Integer() }),
  attempts: 3,
  timeLimitMs: 60_000,
  concurrency: 4,
};
const single = { ...note, concurrency: 1 };
const hasty = { ...note, timeLimitMs: 50, attempts: 1 };
const doer = { kind: "server", reason: "test" } as const;

const pulse = new QueuePulse({ note, single, hasty });
const add = async (...jobs: NewJob[]) => {
  await db.transaction(async (tx) => {
    for (const job of jobs) {
      await enqueue(tx, doer, job);
    }
  });
  pulse.ring();
};
const numbered = (number: number, kind = "note", key?: string): NewJob => ({
  kind,
  payload: { number },
  ...(key === undefined ? {} : { key }),
});
const numberOf = ({ payload }: StartedJob) => (payload as { number: number }).number;

function start(
  perform: JobRunnerOptions["perform"],
  { log = silentLogger, name = "one" }: Partial<JobRunnerOptions> = {},
): JobRunner {
  return new JobRunner({ name, db, log, scheduled: false, perform, pulse });
}

/** Keeps what is logged above `info`. */
function keptLog(): { said: string[]; log: Logger } {
  const said: string[] = [];
  return {
    said,
    log: {
      ...silentLogger,
      warn: (_fields, message) => void said.push(`warn: ${message}`),
      error: (_fields, message) => void said.push(`error: ${message}`),
    },
  };
}

const idle = (states = { waiting: 0, running: 0 }) =>
  until("the queue is empty", async () => {
    const { waiting, running } = await countJobs(db);
    return waiting === states.waiting && running === states.running;
  });

describe("enqueueing", () => {
  test("how long the oldest waits is told; one that rests, or runs, does not count", async () => {
    expect(await findLongestWait(db)).toBe(0);
    await add(numbered(0), numbered(1), numbered(2));
    await sql`update job set run_at = now() + interval '1 hour' where id = (select min(id) from job)`;
    await sql`update job set run_at = now() - interval '90 seconds' where id = (select max(id) from job)`;
    const seconds = await findLongestWait(db);
    expect(seconds).toBeGreaterThanOrEqual(90);
    expect(seconds).toBeLessThan(3600);
    await sql`update job set state = 'running' where run_at < now()`;
    expect(await findLongestWait(db)).toBe(0);
  });

  test("a transaction that fails has no job; one that commits has, and it runs at once", async () => {
    const done: number[] = [];
    await using _runner = start(async (job) => void done.push(numberOf(job)));
    await add(numbered(0));
    await until("it runs", () => done.length === 1);
    const failing = db.transaction(async (tx) => {
      await enqueue(tx, doer, numbered(1));
      throw new Error("no");
    });
    await expect(failing).rejects.toThrow("no");
    await add(numbered(2));
    await until("it runs", () => done.length === 2);
    expect(done).toEqual([0, 2]);
    await idle();
  });

  test("of those with one key only the last waits; who runs is not replaced", async () => {
    await add(numbered(1, "note", "k"), numbered(2, "note", "k"), numbered(3));
    const done: number[] = [];
    const going = Promise.withResolvers<void>();
    await using _runner = start(async (job) => {
      done.push(numberOf(job));
      await (numberOf(job) === 2 ? going.promise : null);
    });
    await until("both began", () => done.length === 2);
    expect(done.toSorted()).toEqual([2, 3]);
    await add(numbered(4, "note", "k"));
    await until("the one of the same key began", () => done.includes(4));
    going.resolve();
    await idle();
    expect(done.toSorted()).toEqual([2, 3, 4]);
  });

  test("who ran when another one of its key came is no dead letter, whether it fails or its process is killed", async () => {
    const begun: number[] = [];
    const going = Promise.withResolvers<void>();
    {
      await using _runner = start(async (job) => {
        begun.push(numberOf(job));
        if (numberOf(job) === 1) {
          await going.promise;
          throw new Error("overtaken");
        }
      });
      await add(numbered(1, "note", "k"));
      await until("the first began", () => begun.length === 1);
      await add(numbered(2, "note", "k"));
      await until("the second began", () => begun.length === 2);
      going.resolve();
      await idle();
      expect(await listJobs(db, ["waiting", "running", "dead"], 10)).toEqual([]);
    }
    await add(numbered(3, "note", "k"));
    await sql`update job set state = 'running', leased_by = 'one', leased_until = now() + interval '1 minute', attempts = 1`;
    await add(numbered(4, "note", "k"));
    await using _next = start(async (job) => void begun.push(numberOf(job)));
    await until("the last began", () => begun.includes(4));
    await idle();
    expect([begun, (await countJobs(db)).dead]).toEqual([[1, 2, 4], 0]);
    const [left] = await sql<{ n: number }[]>`select count(*)::int as n from job`;
    expect(left?.n).toBe(0);
  });

  test("one that waits for a later time takes the place of a run that was interrupted, or failed", async () => {
    const later = new Date(Date.now() + 3_600_000);
    const begun: number[][] = [];
    const perform = async (job: StartedJob, signal: AbortSignal) => {
      begun.push([numberOf(job), job.attempt]);
      if (numberOf(job) === 1) {
        await add({ ...numbered(2, "note", "k"), runAt: later });
        throw new Error("failed");
      }
      await new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));
    };
    {
      await using _runner = start(perform);
      await add(numbered(1, "note", "k"));
      await until("the first began", () => begun.length === 1);
      await idle({ waiting: 1, running: 0 });
      await sql`update job set run_at = now() where run_at < now() + interval '10 seconds'`;
      pulse.ring();
      await until("the second runs", () => begun.length === 2);
      await add({ ...numbered(3, "note", "k"), runAt: later });
    }
    await using _next = start(perform);
    await until("the third runs", () => begun.length === 3);
    expect(begun).toEqual([
      [1, 1],
      [2, 2],
      [3, 2],
    ]);
  });
});

describe("a job that fails", () => {
  test("is tried again after a rest, and is a dead letter after its last try", async () => {
    const { said, log } = keptLog();
    const attempts: number[] = [];
    await using _runner = start(
      async ({ attempt }) => {
        attempts.push(attempt);
        throw new Error("out of order");
      },
      { log },
    );
    await add(numbered(1));
    await until("it has failed twice", () => attempts.length === 2);
    await idle({ waiting: 1, running: 0 });
    expect(await listJobs(db, ["waiting"], 10)).toMatchObject([
      { kind: "note", attempts: 2, lastError: "out of order" },
    ]);
    await sql`update job set run_at = now()`;
    pulse.ring();
    await until("it is dead", async () => (await countJobs(db)).dead === 1);
    expect(attempts).toEqual([1, 2, 3]);
    const tried = "warn: A job failed; it will be tried again";
    expect(said).toEqual([tried, tried, "error: A job failed for good; it is kept as a dead letter"]);
    expect(await db.transaction((tx) => deleteOldDeadLetters(tx, 30))).toBe(0);
    await sql`update job set run_at = now() - interval '31 days'`;
    expect(await db.transaction((tx) => deleteOldDeadLetters(tx, 30))).toBe(1);
  });

  test("for good is not tried again", async () => {
    const { said, log } = keptLog();
    let runs = 0;
    await using _runner = start(
      async () => {
        runs++;
        throw new JobFailedForGood("never");
      },
      { log },
    );
    await add(numbered(1));
    await until("it is dead", async () => (await countJobs(db)).dead === 1);
    expect(await listJobs(db, ["dead"], 10)).toMatchObject([{ attempts: 1, lastError: "never" }]);
    expect([runs, said]).toEqual([1, ["error: A job failed for good; it is kept as a dead letter"]]);
  });

  test("with a payload of another version is a dead letter, and nobody is given it", async () => {
    await add(numbered(1));
    await sql`update job set payload = '{"number":"one"}'`;
    let runs = 0;
    await using _runner = start(async () => void runs++);
    await until("it is dead", async () => (await countJobs(db)).dead === 1);
    expect(runs).toBe(0);
  });

  test("by taking too long is aborted", async () => {
    const reasons: unknown[] = [];
    await using _runner = start(
      (_job, signal) =>
        new Promise((_resolve, reject) =>
          signal.addEventListener("abort", () => {
            reasons.push(signal.reason);
            reject(signal.reason as Error);
          }),
        ),
    );
    await add(numbered(1, "hasty"));
    await until("it is dead", async () => (await countJobs(db)).dead === 1);
    expect(reasons).toMatchObject([{ code: "job-overdue" }]);
  });
});

describe("running", () => {
  test("200 jobs from before the start are worked off without a pause, never more of a kind at once than it may", async () => {
    await add(...Array.from({ length: 200 }, (_, number) => numbered(number, number % 2 === 0 ? "single" : "note")));
    const done: number[] = [];
    let [singles, most] = [0, 0];
    await using _runner = start(async (job) => {
      singles += job.kind === "single" ? 1 : 0;
      most = Math.max(most, singles);
      await Promise.resolve();
      singles -= job.kind === "single" ? 1 : 0;
      done.push(numberOf(job));
    });
    await until("all are done", () => done.length === 200);
    expect([most, new Set(done).size]).toEqual([1, 200]);
    await idle();
  });

  test("a job is done once, however many processes look for it", async () => {
    const done: number[] = [];
    const perform = async (job: StartedJob) => void done.push(numberOf(job));
    await using _first = start(perform, { name: "first" });
    await using _second = start(perform, { name: "second" });
    await add(...Array.from({ length: 100 }, (_, number) => numbered(number)));
    await until("all are done", () => done.length >= 100);
    await idle();
    expect(done.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 100 }, (_, number) => number));
  });

  test("what is interrupted by the end stays in the queue, without a lost try, and runs at the next start", async () => {
    let attempt = 0;
    {
      await using _runner = start(async (job, signal) => {
        attempt = job.attempt;
        await new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));
      });
      await add(numbered(1));
      await until("it runs", () => attempt === 1);
    }
    expect(await listJobs(db, ["waiting"], 10)).toMatchObject([{ kind: "note", attempts: 0, lastError: null }]);
    const done: number[] = [];
    await using _next = start(async (job) => void done.push(job.attempt));
    await until("it runs again", () => done.length === 1);
    expect(done).toEqual([1]);
  });

  test("what a killed process had begun runs again at its next start, elsewhere when its lease is over", async () => {
    const leave = async (number: number, seconds: number) => {
      await add(numbered(number));
      await sql`update job set state = 'running', leased_by = 'killed', attempts = 1,
        leased_until = now() + make_interval(secs => ${seconds}) where state = 'waiting'`;
    };
    const done: number[][] = [];
    const perform = async (job: StartedJob) => void done.push([numberOf(job), job.attempt]);
    await leave(1, 3600);
    await leave(2, 0.5);
    {
      await using _other = start(perform, { name: "other" });
      await add(numbered(3));
      await until("the one whose lease is over, and the new one, are done", () => done.length === 2);
      await idle({ waiting: 0, running: 1 });
    }
    await using _next = start(perform, { name: "killed" });
    await until("the last is done", () => done.length === 3);
    expect(done.toSorted()).toEqual([
      [1, 2],
      [2, 2],
      [3, 1],
    ]);
    await idle();
  });

  test("what ended each time with its process is a dead letter", async () => {
    await add(numbered(1));
    await sql`update job set state = 'running', leased_by = 'one', leased_until = now(), attempts = ${note.attempts}`;
    let runs = 0;
    await using _runner = start(async () => void runs++);
    await until("it is dead", async () => (await countJobs(db)).dead === 1);
    expect(runs).toBe(0);
    expect((await listJobs(db, ["dead"], 10))[0]?.lastError).toBe("The server ended each time while the job ran");
  });

  test("a runner that has lost a job to another one aborts it, and writes nothing down", async () => {
    const { said, log } = keptLog();
    const reasons: unknown[] = [];
    await using runner = start(
      async (_job, signal) => {
        const { promise, reject } = Promise.withResolvers<never>();
        signal.addEventListener("abort", () => (reasons.push(signal.reason), reject(signal.reason as Error)));
        await promise;
      },
      { log },
    );
    await add(numbered(1));
    await until("it runs", async () => (await countJobs(db)).running === 1);
    await sql`update job set leased_by = 'other', attempts = attempts + 1`;
    await runner.extendLeases();
    await until("it was told", () => said.length === 1);
    expect([String(reasons), said]).toEqual([
      "Error: Another process has taken the job over",
      ["warn: A job failed; it will be tried again"],
    ]);
    expect(await listJobs(db, ["running"], 10)).toMatchObject([{ attempts: 2, lastError: null }]);
  });

  test("goes on when the database has ended every connection, also of a job that is about to be done", async () => {
    const done: number[] = [];
    const going = Promise.withResolvers<void>();
    await using _runner = start(async (job) => {
      await (numberOf(job) === 1 ? going.promise : null);
      done.push(numberOf(job));
    });
    await add(numbered(1));
    await until("it runs", async () => (await countJobs(db)).running === 1);
    await sql`select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database()`;
    going.resolve();
    await until("the first is done", () => done.length >= 1);
    // The pool may not have noticed yet that the connection is gone.
    const isAdded = () =>
      add(numbered(2)).then(
        () => true,
        () => false,
      );
    await until("the second is added", isAdded);
    await until("the second is done", () => done.includes(2));
    await idle();
    expect(done).toEqual([1, 2]);
  });

  test("a job for later waits for its time, and is no work for now; one of its key that comes earlier takes its place", async () => {
    const later = { ...numbered(1, "note", "k"), runAt: new Date(Date.now() + 3_600_000) };
    await add(later, { ...numbered(2), runAt: new Date(Date.now() + 300) });
    const done: number[] = [];
    await using _runner = start(async (job) => void done.push(numberOf(job)));
    await until("the one that is due soon is done", () => done.length === 1);
    await idle();
    expect(await listJobs(db, ["scheduled", "waiting"], 10)).toMatchObject([{ kind: "note", state: "scheduled" }]);
    await add(numbered(3, "note", "k"));
    await until("the other one is done", () => done.length === 2);
    expect(done).toEqual([2, 3]);
    expect(await listJobs(db, ["scheduled"], 10)).toEqual([]);
  });

  test("takes the time of the next one of its key, earlier or later, unless it is due already", async () => {
    const at = (seconds: number) => ({ ...numbered(1, "note", "k"), runAt: new Date(Date.now() + seconds * 1000) });
    const restOf = async () => {
      const [waiting, ...others] = await listJobs(db, ["scheduled", "waiting"], 10);
      expect(others).toEqual([]);
      return Math.round((waiting!.runAt.getTime() - Date.now()) / 60_000);
    };
    await add(at(3600));
    await add(at(7200));
    expect(await restOf()).toBe(120);
    await add(at(600));
    expect(await restOf()).toBe(10);
    await db.transaction((tx) => withdraw(tx, "note" as JobName, "other"));
    await db.transaction((tx) => withdraw(tx, "other" as JobName, "k"));
    expect(await restOf()).toBe(10);
    await db.transaction((tx) => withdraw(tx, "note" as JobName, "k"));
    expect(await listJobs(db, ["scheduled", "waiting"], 10)).toEqual([]);
    await add(at(-60));
    await add(at(3600));
    await db.transaction((tx) => withdraw(tx, "note" as JobName, "k"));
    expect(await restOf()).toBe(-1);
    const done: number[] = [];
    await using _runner = start(async (job) => void done.push(numberOf(job)));
    await until("it is done", () => done.length === 1);
  });
});

test("jobs that wait for servers elsewhere leave workers for others", () => {
  const elsewhere = [pullMirrorJob, pushMirrorJob, migrationJob].map(({ concurrency }) => concurrency);
  expect(elsewhere.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(workers - 2);
});
