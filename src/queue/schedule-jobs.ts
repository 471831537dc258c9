import { sql } from "drizzle-orm";
import type { Database } from "../db/client.ts";
import { job } from "../db/schema/jobs.ts";
import type { JobKinds } from "./job-kind.ts";

/** Puts the next job of each kind that has a schedule into the queue, where none waits yet. */
export async function scheduleJobs(db: Database, kinds: JobKinds): Promise<void> {
  const doer = { kind: "server", reason: "schedule" };
  for (const [kind, { schedule }] of Object.entries(kinds)) {
    if (schedule !== undefined) {
      const { everySeconds, offsetSeconds } = schedule;
      // By the clock of the database, which is that of all processes.
      const runAt = sql`to_timestamp((floor((extract(epoch from now()) - ${offsetSeconds}::integer) / ${everySeconds}::integer) + 1)
        * ${everySeconds}::integer + ${offsetSeconds}::integer)`;
      await db.insert(job).values({ kind, key: "schedule", doer, payload: {}, runAt }).onConflictDoNothing();
    }
  }
}
