import { and, eq, gt, sql } from "drizzle-orm";
import type { Transaction } from "../db/client.ts";
import { job } from "../db/schema/jobs.ts";
import type { JobDoer, JobName, JobPayload } from "./job-kind.ts";

interface JobPlace {
  /** At most one job of a kind and key waits. */
  readonly key?: string;
  /** The owner (user or organization) whose turn it takes. */
  readonly principal?: number;
  /** When it may begin; absent: as soon as the transaction has committed. */
  readonly runAt?: Date;
}

/** A job as `enqueue` takes it; `newJob` makes one whose payload fits its kind. */
export interface NewJob extends JobPlace {
  readonly kind: string;
  readonly payload: unknown;
}

/**
 * A job of a kind. It replaces one of its key that waits, with its own payload and time; if that one is due already, it takes its place
 * in the line. One that runs already is not replaced: the new one waits for itself.
 */
export function newJob<Kind extends JobName>(kind: Kind, payload: JobPayload<Kind>, place: JobPlace = {}): NewJob {
  return { kind, payload, ...place };
}

/**
 * Puts a job into the queue with the transaction: it runs, in one of the processes, once that has committed, and never when
 * it has not. Use cases call `work.enqueue`, which knows the doer.
 */
export async function enqueue(
  tx: Transaction,
  doer: JobDoer,
  { kind, payload, key, principal, runAt }: NewJob,
): Promise<void> {
  await tx
    .insert(job)
    .values({ kind, key, principal, doer, payload, runAt })
    .onConflictDoUpdate({
      target: [job.kind, job.key],
      targetWhere: sql`state = 'waiting'`,
      set: {
        principal: sql`excluded.principal`,
        doer: sql`excluded.doer`,
        payload: sql`excluded.payload`,
        attempts: 0,
        lastError: null,
        runAt: sql`case when ${job.runAt} <= now() then ${job.runAt} else excluded.run_at end`,
      },
    });
}

/** Removes the job of a kind and key that waits for its time. One that is due stays. */
export async function withdraw(tx: Transaction, kind: JobName, key: string): Promise<void> {
  await tx
    .delete(job)
    .where(and(eq(job.kind, kind), eq(job.key, key), eq(job.state, "waiting"), gt(job.runAt, sql`now()`)));
}
