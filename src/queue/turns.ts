import type { Pool } from "pg";
import type { JobKind } from "./job-kind.ts";
import { schemaName, untilTurn } from "./queries.ts";

/** The library says later to the database that a job has ended. It runs a few at once, so these are more than it can owe. */
const mostEnded = 100;

/**
 * Has principals take turns with jobs of kinds that have `each`. Such a job comes into the queue without a time. A principal has at most
 * `each` jobs of a kind that are due or run, all of them together have `concurrency`, and the last place is nobody's second one. When a
 * job has ended, the next one becomes due. Jobs that failed and rest do not count.
 */
export class Turns {
  readonly #kinds: readonly JobKind[];
  readonly #ended = new Set<string>();
  /** Whether a job may wait for its turn: nobody asks while none does. */
  mayWait = true;

  constructor(kinds: readonly JobKind[]) {
    this.#kinds = kinds.filter(({ each }) => each !== undefined);
  }

  /** Says that a job has begun, perhaps again. */
  begin(id: string): void {
    this.#ended.delete(id);
  }

  /** Says that a job has ended in this process: the database hears of it later. */
  end(id: string): void {
    this.#ended.add(id);
    if (this.#ended.size > mostEnded) {
      this.#ended.delete(this.#ended.values().next().value!);
    }
  }

  /** Makes due what is next of each principal. Whoever looks for a job does this first. */
  async give(pool: Pool): Promise<void> {
    if (this.#kinds.length === 0 || !this.mayWait) {
      return;
    }
    this.mayWait = false;
    try {
      const { rows } = await pool.query<{ left: boolean }>({
        name: "give-turns",
        text: giveTurns,
        values: [
          this.#kinds.map(({ name }) => name),
          this.#kinds.map(({ each }) => each),
          this.#kinds.map(({ concurrency }) => concurrency),
          [...this.#ended],
        ],
      });
      // One may have come meanwhile.
      this.mayWait ||= rows[0]?.left === true;
    } catch (error) {
      this.mayWait = true;
      throw error;
    }
  }
}

/**
 * Those get a place first whose principal has the fewest under way. What another process has made due since this transaction began
 * counts, so it is compared with the clock.
 */
const giveTurns = `
  with share as (
    select tasks.id as task_id, share.each, share.places
    from unnest($1::text[], $2::integer[], $3::integer[]) as share (kind, each, places)
    join ${schemaName}._private_tasks tasks on tasks.identifier = share.kind),
  waiting as (
    select jobs.id, jobs.task_id, share.each, share.places, jobs.payload->>'principal' as principal,
      row_number() over (partition by jobs.task_id, jobs.payload->>'principal' order by jobs.id) as place
    from ${schemaName}._private_jobs jobs join share using (task_id)
    where jobs.is_available and jobs.run_at = '${untilTurn}'),
  under_way as (
    select jobs.task_id, jobs.payload->>'principal' as principal, count(*) as held
    from ${schemaName}._private_jobs jobs join share using (task_id)
    where jobs.id <> all($4::bigint[]) and (jobs.locked_at is not null or jobs.is_available and jobs.run_at <= clock_timestamp())
    group by 1, 2),
  taken as (select task_id, sum(held) as held from under_way group by 1),
  next as (
    select waiting.*, waiting.place + coalesce(under_way.held, 0) as nth,
      coalesce(taken.held, 0) + row_number() over (
        partition by waiting.task_id order by waiting.place + coalesce(under_way.held, 0), waiting.id) as taken
    from waiting left join under_way using (task_id, principal) left join taken using (task_id)
    where waiting.place + coalesce(under_way.held, 0) <= waiting.each),
  given as (
    update ${schemaName}._private_jobs jobs
    set run_at = now() - make_interval(secs => (next.each - next.nth) * 0.000001)
    from next
    where next.taken <= next.places - case when next.nth > 1 then 1 else 0 end
      and jobs.id = next.id and jobs.is_available and jobs.run_at = '${untilTurn}'
    returning jobs.id)
  select exists (select 1 from waiting where id not in (select id from given)) as "left"`;
