import { index, pgTable, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import { bigintNumber, bytea, bytewiseText, id, instant } from "./columns.ts";
import { blob } from "./blob.ts";
import { account } from "./owners.ts";
import { repository } from "./repositories.ts";

/** The LFS objects of a repository: only those that were uploaded to it, or that the uploader proved to have. */
export const lfsObject = pgTable(
  "lfs_object",
  {
    repositoryId: bigintNumber().notNull().references(() => repository.id, { onDelete: "cascade" }),
    sha256: bytea().notNull().references(() => blob.sha256, { onDelete: "restrict" }),
    createdAt: instant().notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.repositoryId, table.sha256] }), index("lfs_object_sha256").on(table.sha256)],
);

export const lfsLock = pgTable(
  "lfs_lock",
  {
    id: id().primaryKey(),
    repositoryId: bigintNumber().notNull().references(() => repository.id, { onDelete: "cascade" }),
    path: bytewiseText().notNull(),
    userId: bigintNumber().notNull().references(() => account.ownerId, { onDelete: "cascade" }),
    /** The ref the client named, kept for it; a lock holds for every ref. */
    refName: text().notNull().default(""),
    lockedAt: instant().notNull().defaultNow(),
  },
  (table) => [uniqueIndex("lfs_lock_path").on(table.repositoryId, table.path), index("lfs_lock_user").on(table.userId)],
);
