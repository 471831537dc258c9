import { expect, test } from "bun:test";
import { Type } from "typebox";
import { silentLogger } from "../../src/lib/log.ts";
import { enqueue, type NewJob } from "../../src/queue/enqueue.ts";
import type { JobKind } from "../../src/queue/job-kind.ts";
import { JobRunner, type JobRunnerOptions, type StartedJob } from "../../src/queue/job-runner.ts";
import { migrationJob } from "../../src/jobs/migration.ts";
import { QueuePulse } from "../../src/queue/queue-pulse.ts";
import { countJobs, findLongestWait } from "../../src/queue/queries.ts";
import { until } from "../support/until.ts";
import { useQueueDatabase } from "./queue-database.ts";

/** Principals take turns with jobs that wait for servers elsewhere, and no kind has more places than it may. */

const { database } = await useQueueDatabase(8);
const { db, sql } = database;

const bounds = { attempts: 3, timeLimitMs: 60_000 };
const payload = Type.Object({ number: Type.Integer() });
/** With the bounds of migrations and mirrors. */
const { concurrency, each } = migrationJob;
const remote: JobKind = { payload, ...bounds, concurrency, each: each! };
const single: JobKind = { payload, ...bounds, concurrency: 1 };
const doer = { kind: "server", reason: "test" } as const;
const ann = 1;
const bob = 2;
const cid = 3;

const pulses = new Set<QueuePulse>();
const add = async (...jobs: NewJob[]) => {
  await db.transaction(async (tx) => {
    for (const job of jobs) {
      await enqueue(tx, doer, job);
    }
  });
  pulses.forEach((pulse) => pulse.ring());
};
const remoteJob = (number: number, principal: number): NewJob => ({ kind: "remote", payload: { number }, principal });
const remotes = (principal: number, count: number, from = 0) =>
  Array.from({ length: count }, (_, at) => remoteJob(principal * 1000 + from + at, principal));
const numberOf = ({ payload: { number } }: { payload: unknown } & { payload: { number: number } }) => number;
const start = (perform: (number: number, signal: AbortSignal) => Promise<void>) => {
  const performJob: JobRunnerOptions["perform"] = (job, signal) =>
    perform(numberOf(job as StartedJob & { payload: { number: number } }), signal);
  const pulse = new QueuePulse({ remote, single });
  pulses.add(pulse);
  return new JobRunner({
    name: `runner ${pulses.size}`,
    db,
    log: silentLogger,
    scheduled: false,
    perform: performJob,
    pulse,
  });
};
const ownerOf = (number: number) => Math.floor(number / 1000);

/** Jobs that begin, and end one by one when the test says so. */
class Held {
  readonly begun: number[] = [];
  readonly #ends = new Map<number, () => void>();
  readonly perform = async (number: number, signal: AbortSignal): Promise<void> => {
    this.begun.push(number);
    const { promise, resolve } = Promise.withResolvers<void>();
    signal.addEventListener("abort", () => resolve());
    this.#ends.set(number, resolve);
    await promise;
  };
  get running(): number[] {
    return [...this.#ends.keys()];
  }
  end(number: number): void {
    const end = this.#ends.get(number)!;
    this.#ends.delete(number);
    end();
  }
}

test("two users with 200 slow jobs each leave a place for a third one, and take turns", async () => {
  const held = new Held();
  await add(...remotes(ann, 200));
  await using _runner = start(held.perform);
  await until("as many of Ann's run as she may have", () => held.begun.length === 2);
  // Those that wait for their turn are no sign of a queue that does not move.
  expect([await findLongestWait(db), (await countJobs(db)).waiting]).toEqual([0, 198]);
  await add(...remotes(bob, 200));
  await until("Bob's first runs", () => held.begun.length === 3);
  await add(...remotes(cid, 1));
  await until("Cid's runs", () => held.begun.length === 4);
  expect(held.begun.map(ownerOf)).toEqual([ann, ann, bob, cid]);
  // The place that Cid leaves is nobody's second one.
  held.end(3000);
  await add(...remotes(cid, 1, 1));
  await until("Cid's next runs", () => held.begun.length === 5);
  expect(held.begun[4]).toBe(3001);
  held.end(3001);
  // The database hears a moment later that a job has ended.
  const perPrincipal = () =>
    sql`select principal::integer, count(*)::integer as jobs from job group by principal order by principal`;
  await until("those that ended are gone", async () =>
    (await perPrincipal()).every(({ principal }) => principal !== cid),
  );
  expect([...(await perPrincipal())]).toEqual([
    { principal: ann, jobs: 200 },
    { principal: bob, jobs: 200 },
  ]);
  // From then on by turns: of any six in a row, each has some.
  for (let more = 0; more < 30; more++) {
    held.end(held.running[0]!);
    const count = held.begun.length;
    await until("the next runs", () => held.begun.length > count);
  }
  for (let at = 5; at + 6 <= held.begun.length; at++) {
    expect(new Set(held.begun.slice(at, at + 6).map(ownerOf))).toEqual(new Set([ann, bob]));
  }
});

test("several processes share the places of a principal, and all is done in the end", async () => {
  let [mine, most] = [0, 0];
  const done: number[] = [];
  const perform = async (number: number) => {
    mine += ownerOf(number) === ann ? 1 : 0;
    most = Math.max(most, mine);
    await sql`select 1`;
    mine -= ownerOf(number) === ann ? 1 : 0;
    done.push(number);
  };
  await using _first = start(perform);
  await using _second = start(perform);
  for (let part = 0; part < 10; part++) {
    await Promise.all([add(...remotes(ann, 5, part * 10)), add(...remotes(bob, 2, part * 10))]);
  }
  await until("all are done", () => done.length === 70);
  expect([new Set(done).size, most <= 2]).toEqual([70, true]);
});

test("a job of the same key keeps its place in the line, and one that rests after a failure is in nobody's way", async () => {
  const keyed = (number: number, key: string) => ({ ...remoteJob(number, ann), key });
  await add(keyed(1, "a"), keyed(2, "b"), keyed(3, "c"), keyed(4, "a"));
  await sql`update job set run_at = now() + interval '1 hour', attempts = 1 where key = 'b'`;
  const held = new Held();
  await using _runner = start(held.perform);
  await until("two run", () => held.begun.length === 2);
  expect(held.begun.toSorted()).toEqual([3, 4]);
  held.end(3);
  held.end(4);
  await until("only the one that rests is left", async () => {
    const { waiting, running } = await countJobs(db);
    return waiting === 1 && running === 0;
  });
});

test("workers that look at the same time take no more of a kind than it may have", async () => {
  const held = new Held();
  await using _runner = start(held.perform);
  // One notification each, so that several workers look.
  await Promise.all(
    Array.from({ length: 8 }, (_, at) => add({ kind: "single", payload: { number: at } }, ...remotes(at + 10, 1))),
  );
  await until("some run", () => held.begun.length >= 5);
  const singles = () => held.running.filter((number) => number < 1000);
  for (let left = 7; left > 0; left--) {
    expect([singles().length, held.running.length]).toEqual([1, 5]);
    const count = held.begun.length;
    held.end(singles()[0]!);
    await until("the next runs", () => held.begun.length > count);
  }
});
