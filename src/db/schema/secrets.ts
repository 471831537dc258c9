import { sql, type SQL } from "drizzle-orm";
import { check, index, pgTable, text, unique, type AnyPgColumn } from "drizzle-orm/pg-core";
import { bigintNumber, bytea, bytewiseText, id, instant } from "./columns.ts";
import { owner } from "./owners.ts";
import { repository } from "./repositories.ts";

/** Keys that the server made for itself and that every process on this database shares. */
export const serverSecret = pgTable("server_secret", {
  name: bytewiseText().primaryKey(),
  value: bytea().notNull(),
  createdAt: instant().notNull().defaultNow(),
});

/** The one that holds it: a user or an organization, or else a repository. */
const holder = () => ({
  ownerId: bigintNumber().references(() => owner.id, { onDelete: "cascade" }),
  repositoryId: bigintNumber().references(() => repository.id, { onDelete: "cascade" }),
});
const oneHolder = (columns: { ownerId: AnyPgColumn; repositoryId: AnyPgColumn }): SQL =>
  sql`num_nonnulls(${columns.ownerId}, ${columns.repositoryId}) = 1`;

/** A value for programs that build and deploy. Nobody is told it. */
export const secret = pgTable(
  "secret",
  {
    id: id().primaryKey(),
    ...holder(),
    /** In capitals. */
    name: bytewiseText().notNull(),
    /** Sealed with the server's key. */
    sealedValue: bytea().notNull(),
    description: text().notNull().default(""),
    createdAt: instant().notNull().defaultNow(),
    updatedAt: instant().notNull().defaultNow(),
  },
  (table) => [
    unique("secret_name").on(table.ownerId, table.repositoryId, table.name).nullsNotDistinct(),
    index("secret_repository").on(table.repositoryId),
    check("secret_holder", oneHolder(table)),
  ],
);

/** A value for the same programs that is no secret. */
export const variable = pgTable(
  "variable",
  {
    id: id().primaryKey(),
    ...holder(),
    /** In capitals. */
    name: bytewiseText().notNull(),
    value: text().notNull(),
    description: text().notNull().default(""),
    createdAt: instant().notNull().defaultNow(),
    updatedAt: instant().notNull().defaultNow(),
  },
  (table) => [
    unique("variable_name").on(table.ownerId, table.repositoryId, table.name).nullsNotDistinct(),
    index("variable_repository").on(table.repositoryId),
    check("variable_holder", oneHolder(table)),
  ],
);
