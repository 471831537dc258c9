import { sql } from "drizzle-orm";
import type { Static, TSchema } from "@sinclair/typebox";
import type { Transaction } from "../db/client.ts";
import { keyedFlag, schema, turnNotice, untilTurn } from "./queries.ts";
import type { JobDoer, JobKind } from "./job-kind.ts";
import { fits } from "../lib/schema.ts";

/** A job as `enqueue` takes it; `newJob` makes one whose payload fits its kind. */
export interface NewJob {
  readonly kind: JobKind;
  readonly payload: unknown;
  readonly key: string | undefined;
  readonly principal: number | undefined;
}

/**
 * A job of a kind. Of those with the same key only one waits: a second one takes the place of the first. One that runs
 * already is not replaced: the second waits for itself. `principal` is the owner (user or organization) whose turn it takes, if the kind
 * has turns; of those with one key, the place in the line is that of the first.
 */
export function newJob<Payload extends TSchema>(
  kind: JobKind<Payload>,
  payload: Static<Payload>,
  { key, principal }: { key?: string; principal?: number } = {},
): NewJob {
  return { kind, payload, key: key === undefined ? undefined : `${kind.name}:${key}`, principal };
}

/**
 * Puts a job into the queue with the transaction: it runs, in whichever process, once that has committed, and never when
 * it has not. Use cases call `work.enqueue`, which knows the doer. Throws an Error for a payload that is not of the job's
 * kind.
 */
export async function enqueue(
  tx: Transaction,
  doer: JobDoer,
  { kind, payload, key, principal }: NewJob,
): Promise<void> {
  if (!fits(kind.payload, payload)) {
    throw new Error(`A job "${kind.name}" was enqueued with another payload than its kind has`);
  }
  const hasTurns = kind.each !== undefined;
  if (hasTurns !== (principal !== undefined)) {
    throw new Error(`A job "${kind.name}" ${hasTurns ? "needs a principal" : "takes no turns: it has no principal"}`);
  }
  const flags = sql.param(key === undefined ? [kind.name] : [kind.name, keyedFlag]);
  const notice = hasTurns ? sql`pg_notify('jobs:insert', ${turnNotice})` : sql``;
  await tx.execute(sql`
    select ${notice} from ${schema}.add_job(
      identifier => ${kind.name}, payload => ${JSON.stringify({ doer, data: payload, principal })}::json,
      run_at => ${hasTurns ? untilTurn : null}::timestamptz, max_attempts => ${kind.attempts}::integer,
      job_key => ${key ?? null}::text, job_key_mode => ${hasTurns ? "preserve_run_at" : "replace"}::text,
      flags => ${flags}::text[])`);
}
