import { pgTable } from "drizzle-orm/pg-core";
import { bytea, bytewiseText, instant } from "./columns.ts";

/** Keys that the server made for itself and that every process on this database shares. */
export const serverSecret = pgTable("server_secret", {
  /** What it is for. */
  name: bytewiseText().primaryKey(),
  value: bytea().notNull(),
  createdAt: instant().notNull().defaultNow(),
});
