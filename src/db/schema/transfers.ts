import { bigint, index, pgTable } from "drizzle-orm/pg-core";
import { bigintNumber, instant } from "./columns.ts";
import { account, owner } from "./owners.ts";
import { repository } from "./repositories.ts";

/**
 * A repository that was offered to a new owner, who has not accepted it yet. When a row goes, for whatever reason, a trigger
 * takes away the access that collaborators were given for it (`collaborator.for_transfer`).
 */
export const repositoryTransfer = pgTable(
  "repository_transfer",
  {
    repositoryId: bigintNumber()
      .primaryKey()
      .references(() => repository.id, { onDelete: "cascade" }),
    /** The user who offers the repository. */
    doerId: bigintNumber()
      .notNull()
      .references(() => account.ownerId, { onDelete: "cascade" }),
    recipientId: bigintNumber()
      .notNull()
      .references(() => owner.id, { onDelete: "cascade" }),
    /** The teams of the recipient that will have it. A team that is gone by then is left out. */
    teamIds: bigint({ mode: "number" }).array().notNull(),
    createdAt: instant().notNull().defaultNow(),
  },
  (table) => [
    index("repository_transfer_doer").on(table.doerId),
    index("repository_transfer_recipient").on(table.recipientId),
  ],
);
