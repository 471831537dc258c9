import { sql } from "drizzle-orm";
import { boolean, check, index, integer, jsonb, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import { bigintNumber, bytea, bytewiseText, id, instant } from "./columns.ts";
import { account } from "./owners.ts";
import { repository } from "./repositories.ts";

/** The columns of every mirror: its address, and the result of the last tries. Its job holds the time when it is due. */
const following = () => ({
  /** Without credentials. */
  address: text().notNull(),
  /** JSON of a user name and a password, or of an SSH key, sealed with the server's key. */
  sealedCredentials: bytea(),
  /** `SHA256:…` of the SSH server's key, as it was met first. */
  hostKey: text(),
  /** 0: only when somebody asks for it, or when the repository changes. */
  intervalSeconds: integer().notNull(),
  triedAt: instant(),
  syncedAt: instant(),
  /** The error of the last try; empty: it succeeded. */
  lastError: text().notNull().default(""),
  /** Tries in a row that failed: the next ones wait longer. */
  failures: integer().notNull().default(0),
  createdAt: instant().notNull().defaultNow(),
});

/** Where a repository is copied from, which nobody pushes to (`repository.mirror`). */
export const pullMirror = pgTable("pull_mirror", {
  repositoryId: bigintNumber()
    .primaryKey()
    .references(() => repository.id, { onDelete: "cascade" }),
  ...following(),
  /** Branches and tags that are gone there go here, too. */
  prune: boolean().notNull(),
  /** Whether LFS objects and the wiki are followed, too. */
  lfs: boolean().notNull().default(false),
  wiki: boolean().notNull().default(false),
  /** Where the LFS objects are; empty: below the address. */
  lfsEndpoint: text().notNull().default(""),
});

/** Where a repository is copied to. */
export const pushMirror = pgTable(
  "push_mirror",
  {
    id: id().primaryKey(),
    repositoryId: bigintNumber()
      .notNull()
      .references(() => repository.id, { onDelete: "cascade" }),
    /** As the API names it. */
    name: bytewiseText().notNull(),
    ...following(),
    /**
     * Who made it: it rests when they may not administer the repository any more. Not a foreign key, because that is so when their
     * account is gone, too. null: it was made before that was written down, for an organization.
     */
    makerId: bigintNumber(),
    /** The public half of an SSH key that this server made. The user registers it at the other server. */
    publicKey: text(),
    syncOnCommit: boolean().notNull(),
    /** A pattern for names of branches; empty: all. */
    branchFilter: text().notNull(),
  },
  (table) => [uniqueIndex("push_mirror_name").on(table.repositoryId, table.name)],
);

export const migrationStates = ["waiting", "running", "done", "failed", "cancelled"] as const;

/** A repository that is brought from elsewhere, and how far that is. */
export const repositoryMigration = pgTable(
  "repository_migration",
  {
    id: id().primaryKey(),
    /** The user who asked for the migration. */
    actorId: bigintNumber()
      .notNull()
      .references(() => account.ownerId, { onDelete: "cascade" }),
    /** null: it is gone, as when the migration failed. */
    repositoryId: bigintNumber().references(() => repository.id, { onDelete: "set null" }),
    /** owner/name, as it was asked for. */
    fullName: text().notNull(),
    /** Without credentials. */
    address: text().notNull(),
    /** As with mirrors. */
    hostKey: text(),
    /** Until it has ended. */
    sealedCredentials: bytea(),
    /** The items to bring beside the history, as the use case reads them. */
    options: jsonb().notNull(),
    state: text({ enum: migrationStates }).notNull().default("waiting"),
    /** The phase that is running. */
    step: text().notNull().default(""),
    percentage: integer().notNull().default(0),
    /** Why it failed; else empty. */
    error: text().notNull().default(""),
    createdAt: instant().notNull().defaultNow(),
    finishedAt: instant(),
  },
  (table) => [
    index("repository_migration_actor").on(table.actorId, table.id),
    index("repository_migration_repository").on(table.repositoryId),
    check("repository_migration_state", sql`${table.state} in ('waiting', 'running', 'done', 'failed', 'cancelled')`),
  ],
);
