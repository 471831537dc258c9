import { sql, type SQL } from "drizzle-orm";
import type { Database, Reader } from "../db/client.ts";
import { job } from "../db/schema/jobs.ts";
import type { JobKinds } from "./job-kind.ts";

/** A job that a runner has taken. */
export interface ClaimedJob {
  readonly id: number;
  readonly kind: string;
  readonly doer: unknown;
  readonly payload: unknown;
  /** 1 for the first. Nobody else has this id with this number. */
  readonly attempt: number;
}

/** How long a job is its runner's without a word. A runner extends its leases three times as often. */
export const leaseSeconds = 60;
/** The advisory lock of the one process that claims. */
export const claimLock = 0x517_0b5;

/**
 * The jobs that may begin, as a recursive query `claimable (id, run_at)`, in the order in which they do: of each kind as many as
 * `concurrency` leaves, of each principal at most `each`. Those come first whose principal has the fewest under way, and the last place of a
 * kind is nobody's second one.
 */
function claimable(kinds: JobKinds): SQL {
  const limits = Object.values(kinds);
  return sql`limits as (
      select * from unnest(${sql.param(Object.keys(kinds))}::text[],
        ${sql.param(limits.map(({ concurrency }) => concurrency))}::integer[],
        ${sql.param(limits.map(({ each, concurrency }) => each ?? concurrency))}::integer[]) as limits (kind, places, each)),
    held as (select kind, principal, count(*)::integer as held from job where state = 'running' group by kind, principal),
    open as (
      select limits.*, places - coalesce(sum(held.held), 0) as free from limits left join held using (kind)
      group by kind, places, each having places > coalesce(sum(held.held), 0)),
    lines as (
      select kind, (select min(principal) from job
        where job.kind = open.kind and state = 'waiting' and run_at <= now()) as principal from open
      union all
      select kind, (select min(principal) from job
        where job.kind = lines.kind and state = 'waiting' and run_at <= now() and principal > lines.principal) from lines where principal is not null),
    due as (
      select first.*, open.*, coalesce(held.held, 0) + row_number() over (partition by kind, principal order by run_at, id) as nth
      from lines join open using (kind) left join held using (kind, principal)
      cross join lateral (select id, run_at from job
        where job.kind = lines.kind and job.principal = lines.principal and state = 'waiting' and run_at <= now()
        order by run_at, id limit greatest(open.each - coalesce(held.held, 0), 0)) first),
    claimable as (
      select id, run_at from (
        select due.*, row_number() over (partition by kind order by nth, run_at, id) as place from due) placed
      where place <= free - case when nth > 1 and each < places then 1 else 0 end)`;
}

/**
 * Takes up to `room` jobs for a runner, in no two processes at once, so that the bounds hold for all of them together. Before that, jobs
 * whose lease is over become due again, but for `own`, which run here.
 */
export function claimJobs(
  db: Database,
  { runner, kinds, room, own }: { runner: string; kinds: JobKinds; room: number; own: readonly number[] },
): Promise<ClaimedJob[]> {
  return db.transaction(async (tx) => {
    await tx.execute(sql`select pg_advisory_xact_lock(${claimLock})`);
    await putBack(tx, sql`leased_until < now() and id <> all(${sql.param([...own])}::bigint[])`);
    return await tx.execute<ClaimedJob & Record<string, unknown>>(sql`
      with recursive ${claimable(kinds)},
        taken as (
          select job.id from job join claimable using (id) where state = 'waiting'
          order by job.run_at, id limit ${room} for update of job skip locked)
      update job set state = 'running', attempts = attempts + 1, leased_by = ${runner}, leased_until = ${leaseEnd}
      from taken where job.id = taken.id
      returning job.id::float8 as id, kind, doer, payload, attempts as attempt`);
  });
}

const leaseEnd = sql`now() + make_interval(secs => ${leaseSeconds})`;

/** Extends the leases of a runner. Returns the ids of the jobs that it still has. */
export async function extendLeases(db: Reader, runner: string): Promise<Set<number>> {
  const rows = await db.execute<{ id: string }>(sql`
    update job set leased_until = ${leaseEnd} where state = 'running' and leased_by = ${runner} returning id`);
  return new Set(rows.map(({ id }) => Number(id)));
}

/** Seconds that a job has waited that may begin at once; 0: none does. */
export async function findClaimableWait(db: Reader, kinds: JobKinds): Promise<number> {
  const [row] = await db.execute<{ seconds: number | null }>(sql`
    with recursive ${claimable(kinds)}
    select extract(epoch from now() - min(run_at))::float8 as seconds from claimable`);
  return row?.seconds ?? 0;
}

/** Milliseconds until a job is due or a lease is over; null: there is no such job. */
export async function untilNextDue(db: Reader): Promise<number | null> {
  const at = sql`case state when 'waiting' then run_at else leased_until end`;
  const [row] = await db.execute<{ ms: number | null }>(sql`
    select (extract(epoch from min(${at}) - now()) * 1000)::float8 as ms from job where state <> 'dead' and ${at} > now()`);
  return row?.ms ?? null;
}

const isHeld = ({ id, attempt }: ClaimedJob, runner: string) =>
  sql`id = ${id} and attempts = ${attempt} and leased_by = ${runner}`;

/** Removes a job that is done. An earlier one of its key that still runs has nothing left to do. */
export async function finishJob(db: Reader, claimed: ClaimedJob, runner: string): Promise<void> {
  await db.execute(sql`
    with done as (delete from job where state = 'running' and ${isHeld(claimed, runner)} returning id, kind, key)
    update job set superseded = true from done
    where job.state = 'running' and job.kind = done.kind and job.key = done.key and job.id < done.id`);
}

/** Notes that a run failed. `restSeconds`: until the next one; null: there is none, and the job is a dead letter. */
export async function failJob(
  db: Reader,
  claimed: ClaimedJob,
  runner: string,
  { reason, restSeconds }: { reason: string; restSeconds: number | null },
): Promise<void> {
  await putBack(db, isHeld(claimed, runner), {
    state: restSeconds === null ? "dead" : "waiting",
    runAt: sql`now() + make_interval(secs => ${restSeconds ?? 0})`,
    set: sql`, last_error = ${reason}`,
  });
}

/** Gives back a job whose run was interrupted. That is no failure, and it keeps its place in the line. */
export async function returnJob(db: Reader, claimed: ClaimedJob, runner: string): Promise<void> {
  await putBack(db, isHeld(claimed, runner), { attempts: sql`attempts - 1` });
}

/** Gives back what a former process of this name has left. */
export async function returnFormerJobs(db: Reader, runner: string): Promise<void> {
  await putBack(db, sql`leased_by = ${runner}`);
}

/**
 * Ends runs without success. A job is removed if a later one of its key waits, runs or was done, which does the same. One that waits for
 * a later time takes the place of the removed job, with its tries. A later one that commits at this moment makes this fail
 * (unique_violation): do it again.
 */
async function putBack(
  db: Reader,
  which: SQL,
  { state = "waiting", runAt = sql`run_at`, attempts = sql`attempts`, set = sql`` } = {},
): Promise<void> {
  await db.execute(sql`
    with ended as (
      select id, kind, key, superseded, ${runAt} as due, ${attempts} as tries,
        superseded or exists (select from job other
          where other.kind = ${job.kind} and other.key = ${job.key} and other.id <> ${job.id}
            and (other.state = 'waiting' or other.state = 'running' and other.id > ${job.id})) as needless
      from job where state = 'running' and ${which} for update),
    removed as (delete from job using ended where job.id = ended.id and needless),
    hastened as (
      update job set run_at = due, attempts = tries from ended
      where ${state} = 'waiting' and not ended.superseded
        and job.state = 'waiting' and job.kind = ended.kind and job.key = ended.key and job.run_at > due)
    update job set leased_by = null, leased_until = null, state = ${state}, run_at = due, attempts = tries ${set}
    from ended where job.id = ended.id and not needless`);
}
