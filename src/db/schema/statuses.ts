import { sql } from "drizzle-orm";
import { check, index, integer, pgTable, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import { bigintNumber, bytea, bytewiseText, id, instant } from "./columns.ts";
import { owner } from "./owners.ts";
import { repository } from "./repositories.ts";

/** From the worst to the best. Clients may send each of them. */
export const statusStates = ["error", "failure", "warning", "pending", "success", "skipped"] as const;
export type StatusState = (typeof statusStates)[number];

/** A report of a CI system about a commit. Each report is a new row, which never changes. */
export const commitStatus = pgTable(
  "commit_status",
  {
    id: id().primaryKey(),
    repositoryId: bigintNumber()
      .notNull()
      .references(() => repository.id, { onDelete: "cascade" }),
    /** The commit. */
    oid: bytea().notNull(),
    /** The statuses of a commit are numbered from 1, without gaps. */
    index: integer().notNull(),
    context: bytewiseText().notNull(),
    state: text({ enum: statusStates }).notNull(),
    description: text().notNull(),
    targetUrl: text().notNull(),
    creatorId: bigintNumber().references(() => owner.id, { onDelete: "set null" }),
    createdAt: instant().notNull(),
  },
  (table) => [
    uniqueIndex("commit_status_index").on(table.repositoryId, table.oid, table.index),
    index("commit_status_state").on(table.repositoryId, table.oid, table.state, table.index),
    index("commit_status_creator")
      .on(table.creatorId)
      .where(sql`${table.creatorId} is not null`),
  ],
);

/**
 * The newest status of each context of a commit. No index has the columns that change, and pages are half full
 * (fillfactor), so an update stays on its page and reading does not grow with the number of updates.
 */
export const latestCommitStatus = pgTable(
  "latest_commit_status",
  {
    repositoryId: bigintNumber()
      .notNull()
      .references(() => repository.id, { onDelete: "cascade" }),
    oid: bytea().notNull(),
    context: bytewiseText().notNull(),
    index: integer().notNull(),
    state: text({ enum: statusStates }).notNull(),
    /** How many statuses the context has on the commit. */
    count: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.repositoryId, table.oid, table.context] })],
);

/** How many statuses of each state a commit has: at most six rows, so that totals count nothing. Stored like the table above. */
export const commitStatusTotal = pgTable(
  "commit_status_total",
  {
    repositoryId: bigintNumber()
      .notNull()
      .references(() => repository.id, { onDelete: "cascade" }),
    oid: bytea().notNull(),
    state: text({ enum: statusStates }).notNull(),
    count: integer().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.repositoryId, table.oid, table.state] }),
    check("commit_status_total_count", sql`${table.count} > 0`),
  ],
);
