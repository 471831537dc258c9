import { integer, pgTable } from "drizzle-orm/pg-core";
import { bytewiseText, instant } from "./columns.ts";

/** What became of the tasks that the server does every hour. A task without a row has never run. */
export const regularTask = pgTable("regular_task", {
  name: bytewiseText().primaryKey(),
  runs: integer().notNull().default(0),
  /** When it last began. */
  previousAt: instant().notNull(),
});
