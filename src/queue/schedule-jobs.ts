import { sql } from "drizzle-orm";
import type { Database } from "../db/client.ts";
import { job } from "../db/schema/jobs.ts";
import type { JobKind } from "./job-kind.ts";

/** A kind of job that comes into the queue by itself; once, however many processes there are. */
export interface ScheduledKind {
  readonly kind: JobKind;
  readonly everySeconds: number;
  /** How long after a multiple of `everySeconds` since 1970. */
  readonly offsetSeconds: number;
}

/** Puts the next job of each kind into the queue, where none waits yet. */
export async function scheduleJobs(db: Database, schedule: readonly ScheduledKind[]): Promise<void> {
  for (const { kind, everySeconds, offsetSeconds } of schedule) {
    // By the clock of the database, which is that of all processes.
    const next = sql`to_timestamp((floor((extract(epoch from now()) - ${offsetSeconds}::integer) / ${everySeconds}::integer) + 1)
      * ${everySeconds}::integer + ${offsetSeconds}::integer)`;
    const doer = { kind: "server", reason: "schedule" };
    await db
      .insert(job)
      .values({ kind: kind.name, key: "schedule", doer, payload: {}, runAt: next })
      .onConflictDoNothing();
  }
}
