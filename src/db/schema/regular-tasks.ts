import { integer, pgTable } from "drizzle-orm/pg-core";
import { bytewiseText, instant } from "./columns.ts";

/** The last run of each hourly task. A task without a row has never run. */
export const regularTask = pgTable("regular_task", {
  name: bytewiseText().primaryKey(),
  runs: integer().notNull().default(0),
  /** When it last began. */
  previousAt: instant().notNull(),
});
