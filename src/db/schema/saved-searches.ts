import { sql } from "drizzle-orm";
import { boolean, index, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import { bigintNumber, id, instant } from "./columns.ts";
import { account, owner } from "./owners.ts";
import { repository } from "./repositories.ts";

/** A search of issues, or of pull requests, that a user has given a name. Who may not see the list any more is not shown the search. */
export const savedSearch = pgTable(
  "saved_search",
  {
    id: id().primaryKey(),
    userId: bigintNumber()
      .notNull()
      .references(() => account.ownerId, { onDelete: "cascade" }),
    /** The repository, or the organization, whose list it searches; both null: the user's own lists. */
    repositoryId: bigintNumber().references(() => repository.id, { onDelete: "cascade" }),
    organizationId: bigintNumber().references(() => owner.id, { onDelete: "cascade" }),
    isPull: boolean().notNull(),
    name: text().notNull(),
    /** As the search box has it. */
    query: text().notNull(),
    createdAt: instant().notNull().defaultNow(),
  },
  (table) => [
    uniqueIndex("saved_search_name").on(
      table.userId,
      sql`coalesce(${table.repositoryId}, 0)`,
      sql`coalesce(${table.organizationId}, 0)`,
      table.isPull,
      sql`lower(${table.name})`,
    ),
    index("saved_search_repository").on(table.repositoryId),
    index("saved_search_organization").on(table.organizationId),
  ],
);
