import { sql } from "drizzle-orm";
import { check, index, pgTable, primaryKey } from "drizzle-orm/pg-core";
import { bigintNumber, id, instant } from "./columns.ts";
import { issue } from "./issues.ts";
import { account } from "./owners.ts";
import { repository } from "./repositories.ts";

/** Time that somebody spent on an issue or a pull request. */
export const trackedTime = pgTable(
  "tracked_time",
  {
    id: id().primaryKey(),
    /** That of the issue. */
    repositoryId: bigintNumber()
      .notNull()
      .references(() => repository.id, { onDelete: "cascade" }),
    issueId: bigintNumber()
      .notNull()
      .references(() => issue.id, { onDelete: "cascade" }),
    /** The user who spent it; null: the user is gone. */
    userId: bigintNumber().references(() => account.ownerId, { onDelete: "set null" }),
    seconds: bigintNumber().notNull(),
    createdAt: instant().notNull().defaultNow(),
  },
  (table) => [
    index("tracked_time_issue").on(table.issueId, table.createdAt, table.id),
    index("tracked_time_repository").on(table.repositoryId, table.createdAt, table.id),
    index("tracked_time_user").on(table.userId, table.createdAt, table.id),
    check("tracked_time_seconds", sql`${table.seconds} > 0`),
  ],
);

/** A stopwatch that runs. A user has one at most. */
export const stopwatch = pgTable(
  "stopwatch",
  {
    userId: bigintNumber()
      .notNull()
      .references(() => account.ownerId, { onDelete: "cascade" }),
    issueId: bigintNumber()
      .notNull()
      .references(() => issue.id, { onDelete: "cascade" }),
    startedAt: instant().notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.userId] }), index("stopwatch_issue").on(table.issueId)],
);
