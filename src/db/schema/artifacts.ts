import { index, pgTable, uniqueIndex } from "drizzle-orm/pg-core";
import { blob } from "./blob.ts";
import { bigintNumber, bytea, bytewiseText, id, instant } from "./columns.ts";
import { account } from "./owners.ts";
import { repository } from "./repositories.ts";

/**
 * A file that a run of some program left, such as what it has built. The runs themselves are elsewhere: the uploader names the run by its
 * number. Triggers write its row of `blob_reference`.
 */
export const artifact = pgTable(
  "artifact",
  {
    id: id().primaryKey(),
    repositoryId: bigintNumber()
      .notNull()
      .references(() => repository.id, { onDelete: "cascade" }),
    runNumber: bigintNumber().notNull(),
    name: bytewiseText().notNull(),
    sha256: bytea()
      .notNull()
      .references(() => blob.sha256, { onDelete: "restrict" }),
    bytes: bigintNumber().notNull(),
    uploaderId: bigintNumber().references(() => account.ownerId, { onDelete: "set null" }),
    createdAt: instant().notNull().defaultNow(),
  },
  (table) => [
    uniqueIndex("artifact_name").on(table.repositoryId, table.runNumber, table.name),
    index("artifact_repository").on(table.repositoryId, table.id),
    index("artifact_sha256").on(table.sha256),
    index("artifact_uploader").on(table.uploaderId),
  ],
);
