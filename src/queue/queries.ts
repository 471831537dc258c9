import { and, asc, count, eq, inArray, lt, lte, ne, sql } from "drizzle-orm";
import type { Reader, Transaction } from "../db/client.ts";
import { job } from "../db/schema/jobs.ts";
import type { JobName } from "./job-kind.ts";

/** "scheduled": it waits for its time, and no run has begun. "waiting": to be run, now or after a rest. */
const shownState = sql<"scheduled" | "waiting" | "running" | "dead">`
  case when ${job.state} = 'waiting' and ${job.attempts} = 0 and ${job.runAt} > now() then 'scheduled' else ${job.state} end`;

export interface JobCounts {
  /** To be run, now or after a rest. */
  waiting: number;
  running: number;
  /** Failed for good: kept for a while, to be looked at. */
  dead: number;
}

/** How many jobs there are of each state; those that wait for their time are left out. */
export async function countJobs(db: Reader): Promise<JobCounts> {
  const rows = await db.select({ state: shownState, jobs: count() }).from(job).groupBy(shownState);
  const of = (wanted: string) => rows.find(({ state }) => state === wanted)?.jobs ?? 0;
  return { waiting: of("waiting"), running: of("running"), dead: of("dead") };
}

/** Seconds that the job has waited that is due for longest; 0: none waits. Jobs that wait for a turn of their principal do not count. */
export async function findLongestWait(db: Reader): Promise<number> {
  const [row] = await db
    .select({ seconds: sql<number | null>`extract(epoch from now() - min(${job.runAt}))::float8` })
    .from(job)
    .where(and(eq(job.state, "waiting"), eq(job.principal, 0), lte(job.runAt, sql`now()`)));
  return row?.seconds ?? 0;
}

export interface StoredJob {
  id: number;
  kind: string;
  state: "scheduled" | "waiting" | "running" | "dead";
  attempts: number;
  lastError: string | null;
  /** When it may begin, or might; of a dead one, when it failed. */
  runAt: Date;
}

/** Jobs of these states, the oldest first. */
export async function listJobs(db: Reader, states: readonly StoredJob["state"][], limit: number): Promise<StoredJob[]> {
  const { id, kind, attempts, lastError, runAt } = job;
  return db
    .select({ id, kind, attempts, lastError, runAt, state: shownState })
    .from(job)
    .where(inArray(shownState, [...states]))
    .orderBy(asc(id))
    .limit(limit);
}

/** Whether a job of a kind and key waits, or runs. */
export async function isUnderWay(db: Reader, kind: JobName, key: string): Promise<boolean> {
  const isIt = and(eq(job.kind, kind), eq(job.key, key), ne(job.state, "dead"));
  return (await db.$count(job, isIt)) > 0;
}

/** Removes dead letters whose last try was so many days ago; returns how many they were. */
export async function deleteOldDeadLetters(tx: Transaction, days: number): Promise<number> {
  const rows = await tx
    .delete(job)
    .where(and(eq(job.state, "dead"), lt(job.runAt, sql`now() - make_interval(days => ${days}::integer)`)))
    .returning({ id: job.id });
  return rows.length;
}

/** Has a dead letter tried again, at once and as often as a new job. Returns false where there is no such one. */
export async function retryDeadLetter(tx: Transaction, id: number): Promise<boolean> {
  const again = { state: "waiting", attempts: 0, runAt: sql`now()` } as const;
  // A job of its key that waits already does its work.
  const waits = sql`exists (select 1 from ${job} as other where other.kind = ${job.kind} and other.key = ${job.key} and other.state = 'waiting')`;
  const isDead = and(eq(job.id, id), eq(job.state, "dead"));
  const rows = await tx
    .update(job)
    .set(again)
    .where(and(isDead, sql`not ${waits}`))
    .returning({ id: job.id });
  return rows.length > 0 || (await deleteDeadLetter(tx, id));
}

/** Returns false where there is no such one. */
export async function deleteDeadLetter(tx: Transaction, id: number): Promise<boolean> {
  const rows = await tx
    .delete(job)
    .where(and(eq(job.id, id), eq(job.state, "dead")))
    .returning({ id: job.id });
  return rows.length > 0;
}
