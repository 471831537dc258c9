import { sql } from "drizzle-orm";
import type { Static, TSchema } from "@sinclair/typebox";
import type { Transaction } from "../db/client.ts";
import { job } from "../db/schema/jobs.ts";
import type { JobDoer, JobKind } from "./job-kind.ts";
import { fits } from "../lib/schema.ts";

/** A job as `enqueue` takes it; `newJob` makes one whose payload fits its kind. */
export interface NewJob {
  readonly kind: JobKind;
  readonly payload: unknown;
  readonly key: string | undefined;
  readonly principal: number | undefined;
  /** When it may begin; undefined: as soon as the transaction has committed. */
  readonly runAt: Date | undefined;
}

/**
 * A job of a kind. Of those with the same key only one waits: a second one takes its place in the line, with its own payload. One that runs
 * already is not replaced: the second waits for itself. `principal` is the owner (user or organization) whose turn it takes, if the kind
 * has turns.
 */
export function newJob<Payload extends TSchema>(
  kind: JobKind<Payload>,
  payload: Static<Payload>,
  { key, principal, runAt }: { key?: string; principal?: number; runAt?: Date } = {},
): NewJob {
  return { kind, payload, key, principal, runAt };
}

/**
 * Puts a job into the queue with the transaction: it runs, in one of the processes, once that has committed, and never when
 * it has not. Use cases call `work.enqueue`, which knows the doer. Throws an Error for a payload that does not fit the job's kind.
 */
export async function enqueue(
  tx: Transaction,
  doer: JobDoer,
  { kind, payload, key, principal, runAt }: NewJob,
): Promise<void> {
  if (!fits(kind.payload, payload)) {
    throw new Error(`A job "${kind.name}" was enqueued with another payload than its kind has`);
  }
  const hasTurns = kind.each !== undefined;
  if (hasTurns !== (principal !== undefined)) {
    throw new Error(`A job "${kind.name}" ${hasTurns ? "needs a principal" : "takes no turns: it has no principal"}`);
  }
  await tx
    .insert(job)
    .values({ kind: kind.name, key, principal, doer, payload, runAt })
    .onConflictDoUpdate({
      target: [job.kind, job.key],
      targetWhere: sql`state = 'waiting'`,
      set: {
        principal: sql`excluded.principal`,
        doer: sql`excluded.doer`,
        payload: sql`excluded.payload`,
        attempts: 0,
        lastError: null,
        runAt: sql`least(${job.runAt}, excluded.run_at)`,
      },
    });
}
