import { index, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import { bigintNumber, bytewiseText, id, instant } from "./columns.ts";
import { account } from "./owners.ts";
import { repository } from "./repositories.ts";

export const lfsLock = pgTable(
  "lfs_lock",
  {
    id: id().primaryKey(),
    repositoryId: bigintNumber()
      .notNull()
      .references(() => repository.id, { onDelete: "cascade" }),
    path: bytewiseText().notNull(),
    userId: bigintNumber()
      .notNull()
      .references(() => account.ownerId, { onDelete: "cascade" }),
    /** The ref the client named, kept for it; a lock holds for every ref. */
    refName: text().notNull().default(""),
    lockedAt: instant().notNull().defaultNow(),
  },
  (table) => [uniqueIndex("lfs_lock_path").on(table.repositoryId, table.path), index("lfs_lock_user").on(table.userId)],
);
