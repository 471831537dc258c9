import { sql } from "drizzle-orm";
import { bigint, index, integer, pgTable, smallint, text, uniqueIndex } from "drizzle-orm/pg-core";
import { bigintNumber, bytewiseText, id, instant } from "./columns.ts";

/**
 * What lists of repositories and owners are read from, so that no list walks a table of everything. Triggers write all of
 * `repository_listing` and `list_total`, and the class in the other two; they refer to nothing by a foreign key, as the
 * triggers delete their rows, too. The triggers are in the migrations `lists`, `topics_and_languages` and `forks`.
 *
 * A class says who may see a repository without being given it, and what filters ask: `audience * 8 + fork * 4 +
 * template * 2 + archived`. The audiences: 0 everybody, 1 whoever is signed in, 2 members of the owner, 3 nobody. Indexes begin with the
 * class, so that a list is a merge of those classes that the viewer sees.
 */

/** How a repository is found and ordered. Changes when it is renamed, moved, described, or shown to others. */
export const repositoryListing = pgTable(
  "repository_listing",
  {
    repositoryId: bigintNumber().primaryKey(),
    ownerId: bigintNumber().notNull(),
    class: smallint().notNull(),
    /** The owner's name and the repository's, as they are looked up: in lower case. */
    ownerName: bytewiseText().notNull(),
    name: bytewiseText().notNull(),
    createdAt: instant().notNull(),
    topics: text().array().notNull(),
    /** In lower case. */
    description: bytewiseText().notNull(),
  },
  (table) => [
    index("repository_listing_id").on(table.class, table.repositoryId),
    index("repository_listing_full_name").on(table.class, table.ownerName, table.name, table.repositoryId),
    index("repository_listing_name").on(table.class, table.name, table.repositoryId),
    index("repository_listing_created").on(table.class, table.createdAt, table.repositoryId),
    index("repository_listing_owner_id").on(table.ownerId, table.class, table.repositoryId),
    index("repository_listing_owner_name").on(table.ownerId, table.class, table.name, table.repositoryId),
    index("repository_listing_words")
      .using("gin", sql`text_grams(list_words(${table.ownerName}, ${table.name}, ${table.topics}))`)
      .with({ fastupdate: false }),
    index("repository_listing_owner_topics")
      .on(table.ownerId, table.class)
      .where(sql`${table.topics} <> '{}'`),
    index("repository_listing_topics").using("gin", table.topics).with({ fastupdate: false }),
    index("repository_listing_description")
      .using("gin", sql`text_grams(${table.description})`)
      .with({ fastupdate: false }),
  ],
);

/** The bytes of a repository on disk, and its last change. A push writes both while it holds the repository's row. */
export const repositorySize = pgTable(
  "repository_size",
  {
    repositoryId: bigintNumber().primaryKey(),
    class: smallint().notNull(),
    /** Bytes of the packs linked to it. */
    gitBytes: bigintNumber().notNull().default(0),
    /** How many of them pull requests brought that are not merged. */
    guestBytes: bigintNumber().notNull().default(0),
    /** Bytes of the packs of its wiki, and how many of them guests brought, by a trigger. */
    wikiBytes: bigintNumber().notNull().default(0),
    wikiGuestBytes: bigintNumber().notNull().default(0),
    /** Bytes of the LFS objects linked to it. */
    lfsBytes: bigintNumber().notNull().default(0),
    bytes: bigint({ mode: "number" })
      .notNull()
      .generatedAlwaysAs(sql`git_bytes + lfs_bytes`),
    /** The repository's own `updated_at`, by a trigger. */
    updatedAt: instant().notNull(),
  },
  (table) => [
    index("repository_size_bytes").on(table.class, table.bytes, table.repositoryId),
    index("repository_size_git").on(table.class, table.gitBytes, table.repositoryId),
    index("repository_size_lfs").on(table.class, table.lfsBytes, table.repositoryId),
    index("repository_size_updated").on(table.class, table.updatedAt, table.repositoryId),
  ],
);

/**
 * What people did to a repository, counted by triggers on what they did, and what jobs found out about it. A push does not
 * touch it, so they do not wait for pushes.
 */
export const repositoryCount = pgTable(
  "repository_count",
  {
    repositoryId: bigintNumber().primaryKey(),
    class: smallint().notNull(),
    stars: integer().notNull().default(0),
    watchers: integer().notNull().default(0),
    /** Releases that are no drafts. */
    releases: integer().notNull().default(0),
    /** The language that most bytes of the default branch are in; empty until they are counted, and if there is none. */
    language: text().notNull().default(""),
    /** 1 while it is offered to a new owner. */
    transfers: integer().notNull().default(0),
    forks: integer().notNull().default(0),
    openIssues: integer().notNull().default(0),
    closedIssues: integer().notNull().default(0),
    openPulls: integer().notNull().default(0),
    closedPulls: integer().notNull().default(0),
  },
  (table) => [
    index("repository_count_stars").on(table.class, table.stars, table.repositoryId),
    index("repository_count_language").on(table.language, table.class),
    index("repository_count_forks").on(table.class, table.forks, table.repositoryId),
  ],
);

/**
 * How many entries a list has of a class: the sum of `count` over the rows of one key. Whoever changes a number adds a row
 * and folds into it those that nobody else holds, so that no writer waits for another and few rows are left.
 *
 * `issue-change` counts the statements that may change what a search for words finds. The number only grows, and whoever
 * reads the same number twice has seen the same issues twice.
 */
export const listTotal = pgTable(
  "list_total",
  {
    id: id().primaryKey(),
    /**
     * `repository`; or `user` and `organization`, whose class is the visibility: 0 public, 1 limited, 2 private; or `comment`, whose
     * class is 0 on issues, 1 on pull requests; or `text`, the bytes of issues and comments, whose class is 1 of those that guests wrote; or
     * `issue-change`, of class 0.
     */
    list: text({ enum: ["repository", "user", "organization", "comment", "text", "issue-change"] }).notNull(),
    /** The owner whose repositories are counted; 0: all owners. Comments and texts are counted by the id of their repository. */
    ownerId: bigintNumber().notNull(),
    class: smallint().notNull(),
    count: bigintNumber().notNull(),
  },
  (table) => [index("list_total_key").on(table.list, table.ownerId, table.class)],
);

/**
 * A topic that at least one repository has, with how many: of those that everybody sees, that whoever is signed in sees, and
 * of all. Triggers on `repository_listing` count, make and remove the rows.
 */
export const topic = pgTable(
  "topic",
  {
    id: id().primaryKey(),
    /** In lower case. */
    name: bytewiseText().notNull(),
    openToAll: integer().notNull(),
    openToUsers: integer().notNull(),
    repositories: integer().notNull(),
    createdAt: instant().notNull().defaultNow(),
    /** When it was last given to a repository, or taken from one, or such a repository was shown to others. */
    updatedAt: instant().notNull().defaultNow(),
  },
  (table) => [
    uniqueIndex("topic_name").on(table.name),
    index("topic_open_to_all").on(table.openToAll.desc(), table.name),
    index("topic_open_to_users").on(table.openToUsers.desc(), table.name),
    index("topic_repositories").on(table.repositories.desc(), table.name),
    index("topic_words")
      .using("gin", sql`text_grams(${table.name})`)
      .with({ fastupdate: false }),
  ],
);
