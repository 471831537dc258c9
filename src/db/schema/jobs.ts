import { sql } from "drizzle-orm";
import { boolean, index, integer, jsonb, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import { bigintNumber, bytewiseText, id, instant } from "./columns.ts";

const isWaiting = sql`state = 'waiting'`;

/** The job queue (`src/queue/`). A job that has succeeded has no row any more. */
export const job = pgTable(
  "job",
  {
    id: id().primaryKey(),
    kind: bytewiseText().notNull(),
    /** At most one job of a kind and key waits. */
    key: bytewiseText(),
    /** The owner whose turn it takes; 0: the kind has no turns. */
    principal: bigintNumber().notNull().default(0),
    /** A JobDoer. */
    doer: jsonb().notNull(),
    payload: jsonb().notNull(),
    /** A dead job failed for good: it is kept for a while, to be looked at. */
    state: text({ enum: ["waiting", "running", "dead"] })
      .notNull()
      .default("waiting"),
    /** Runs that began. */
    attempts: integer().notNull().default(0),
    /** When it may begin; of a dead job, when it failed. */
    runAt: instant().notNull().defaultNow(),
    /** The name of the runner that has it, which extends its lease. A job whose lease is over is due again. */
    leasedBy: text(),
    leasedUntil: instant(),
    /** A later job of its key was done while it ran: it is not run again. */
    superseded: boolean().notNull().default(false),
    lastError: text(),
  },
  (table) => [
    uniqueIndex("job_key").on(table.kind, table.key).where(isWaiting),
    index("job_due").on(table.kind, table.principal, table.runAt, table.id).where(isWaiting),
    index("job_running")
      .on(table.kind, table.principal)
      .where(sql`state = 'running'`),
  ],
);
