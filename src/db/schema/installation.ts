import { sql } from "drizzle-orm";
import { boolean, check, pgTable, text, uuid } from "drizzle-orm/pg-core";
import { instant } from "./columns.ts";

/** The installation that this database belongs to: one row. Its data directory has the same id in a file. */
export const installation = pgTable(
  "installation",
  {
    /** Always true, so that there is one row at most. */
    only: boolean().primaryKey().default(true),
    /** Random, made once. */
    id: uuid().notNull(),
    /** Where it was made, `<host>:<data directory>`, for messages. */
    name: text().notNull(),
    createdAt: instant().notNull().defaultNow(),
  },
  (table) => [check("installation_only", sql`${table.only}`)],
);
