import { sql } from "drizzle-orm";
import type { Reader, Transaction } from "../db/client.ts";
import type { JobKind } from "./job-kind.ts";

/** The schema of the queue's tables, which are the library's: see `drizzle/0000_baseline/queue.sql`. */
export const schemaName = "queue";
export const schema = sql.identifier(schemaName);

/** The flag of jobs that have a key. */
export const keyedFlag = "with-key";

/**
 * A job that ran when another one of its key came: the library takes its key and the tries that it had left, so that it does not run again.
 * Where it did not come to its end, nothing is lost, since the other one does the same.
 */
export const isSuperseded = `key is null and flags ? '${keyedFlag}' and attempts >= max_attempts`;

/** When a job runs that waits for a turn of its principal (`turns.ts`). */
export const untilTurn = "infinity";

/** What is notified of with such a job, beside the notification of the library, which takes no worker for this one. */
export const turnNotice = '{"count":0,"turn":true}';

export interface JobCounts {
  /** To be run, now or after a rest. */
  waiting: number;
  running: number;
  /** Failed for good: kept for a while, to be looked at. */
  dead: number;
}

/** How many jobs there are of each state. */
export async function countJobs(db: Reader): Promise<JobCounts> {
  const [row] = await db.execute<{ waiting: number; running: number; dead: number }>(sql`
    select count(*) filter (where is_available)::integer as waiting,
      count(*) filter (where locked_at is not null)::integer as running,
      count(*) filter (where locked_at is null and not is_available and not (${sql.raw(isSuperseded)}))::integer as dead
    from ${schema}._private_jobs`);
  return {
    waiting: row?.waiting ?? 0,
    running: row?.running ?? 0,
    dead: row?.dead ?? 0,
  };
}

/** How long the job has waited that should have begun first, seconds, of these kinds; those that rest do not count. 0: none waits. */
export async function findLongestWait(db: Reader, kinds: readonly string[] | null = null): Promise<number> {
  const isOfThem = kinds === null ? sql`true` : sql`tasks.identifier = any(${sql.param([...kinds])}::text[])`;
  const [row] = await db.execute<{ seconds: number | null }>(sql`
    select extract(epoch from now() - min(run_at))::float8 as seconds
    from ${schema}._private_jobs jobs join ${schema}._private_tasks tasks on tasks.id = jobs.task_id
    where is_available and locked_at is null and run_at <= now()
      and ${isOfThem}`);
  return row?.seconds ?? 0;
}

export interface StoredJob {
  id: number;
  kind: string;
  state: "waiting" | "running" | "dead";
  attempts: number;
  lastError: string | null;
  /** When it runs next, or ran last; null: it waits for a turn of its principal. */
  runAt: Date | null;
}

/** Jobs of a state, the oldest first. */
export async function listJobs(db: Reader, states: readonly StoredJob["state"][], limit: number): Promise<StoredJob[]> {
  const rows = await db.execute<StoredJob & Record<string, unknown>>(sql`
    select * from (
      select jobs.id::float8 as id, tasks.identifier as kind, jobs.attempts, jobs.last_error as "lastError",
        nullif(jobs.run_at, ${untilTurn}) as "runAt",
        case when jobs.locked_at is not null then 'running' when jobs.is_available then 'waiting' else 'dead' end as state
      from ${schema}._private_jobs jobs join ${schema}._private_tasks tasks on tasks.id = jobs.task_id
      where jobs.locked_at is not null or not (${sql.raw(isSuperseded)})) job
    where state in (${sql.join(
      states.map((state) => sql`${state}`),
      sql`, `,
    )})
    order by id limit ${limit}`);
  return rows.map(({ id, kind, state, attempts, lastError, runAt }) => ({
    id,
    kind,
    state,
    attempts,
    lastError,
    runAt: runAt === null ? null : new Date(runAt),
  }));
}

/** Whether a job waits for its turn, for its next try, or runs. */
export async function isUnderWay(db: Reader, { key }: { key: string | undefined }): Promise<boolean> {
  const [row] = await db.execute<{ found: boolean }>(sql`
    select exists (select from ${schema}._private_jobs where key = ${key ?? null}
      and (is_available or locked_at is not null)) as found`);
  return row?.found === true;
}

/** How many jobs of a kind wait or run for each principal. */
export async function countUnderWay(db: Reader, { name }: JobKind): Promise<Map<number, number>> {
  const rows = await db.execute<{ principal: number; count: number }>(sql`
    select (jobs.payload->>'principal')::float8 as principal, count(*)::integer as count
    from ${schema}._private_jobs jobs join ${schema}._private_tasks tasks on tasks.id = jobs.task_id
    where tasks.identifier = ${name} and (jobs.is_available or jobs.locked_at is not null)
      and jobs.payload->>'principal' is not null
    group by 1`);
  return new Map(rows.map(({ principal, count }) => [principal, count]));
}

/** Removes dead letters whose last try was so many days ago; answers how many they were. */
export async function deleteOldDeadLetters(tx: Transaction, days: number): Promise<number> {
  const rows = await tx.execute(sql`
    delete from ${schema}._private_jobs
    where locked_at is null and not is_available and run_at < now() - make_interval(days => ${days}::integer)
    returning id`);
  return rows.length;
}
