import { sql } from "drizzle-orm";
import type { Reader, Transaction } from "../../../db/client.ts";
import { regularTask } from "../../../db/schema/regular-tasks.ts";

export async function listTaskRuns(db: Reader): Promise<(typeof regularTask.$inferSelect)[]> {
  return db.select().from(regularTask);
}

/** Counts a run of a task that began at an instant. */
export async function insertTaskRun(tx: Transaction, name: string, previousAt: Date): Promise<void> {
  await tx
    .insert(regularTask)
    .values({ name, runs: 1, previousAt })
    .onConflictDoUpdate({ target: regularTask.name, set: { runs: sql`${regularTask.runs} + 1`, previousAt } });
}
