import { sql } from "drizzle-orm";
import {
  boolean,
  check,
  customType,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  type AnyPgColumn,
} from "drizzle-orm/pg-core";
import { bigintNumber, id, instant } from "./columns.ts";
import { account, owner } from "./owners.ts";
import { repository } from "./repositories.ts";

const tsvector = customType<{ data: string }>({ dataType: () => "tsvector" });

/**
 * The last number that an issue or a pull request of a repository has. Whoever makes one takes the next in the same
 * transaction, so numbers have no gaps; no push holds this row.
 */
export const issueSequence = pgTable("issue_sequence", {
  repositoryId: bigintNumber()
    .primaryKey()
    .references(() => repository.id, { onDelete: "cascade" }),
  last: integer().notNull(),
});

/** A label of a repository, or of an organization for all of its repositories. */
export const label = pgTable(
  "label",
  {
    id: id().primaryKey(),
    repositoryId: bigintNumber().references(() => repository.id, { onDelete: "cascade" }),
    ownerId: bigintNumber().references(() => owner.id, { onDelete: "cascade" }),
    name: text().notNull(),
    /** Six hexadecimal digits in lower case, without "#". */
    color: text().notNull(),
    description: text().notNull().default(""),
    /** An issue has at most one label of a scope. The scope is the text before the last slash. */
    exclusive: boolean().notNull().default(false),
    archivedAt: instant(),
    createdAt: instant().notNull().defaultNow(),
  },
  (table) => [
    index("label_repository").on(table.repositoryId, table.name, table.id),
    index("label_owner").on(table.ownerId, table.name, table.id),
    check("label_belongs", sql`num_nonnulls(${table.repositoryId}, ${table.ownerId}) = 1`),
  ],
);

export const milestone = pgTable(
  "milestone",
  {
    id: id().primaryKey(),
    repositoryId: bigintNumber()
      .notNull()
      .references(() => repository.id, { onDelete: "cascade" }),
    title: text().notNull(),
    description: text().notNull().default(""),
    dueAt: instant(),
    closedAt: instant(),
    /** Counted by triggers on issues, pull requests among them. */
    openIssues: integer().notNull().default(0),
    closedIssues: integer().notNull().default(0),
    createdAt: instant().notNull().defaultNow(),
    updatedAt: instant().notNull().defaultNow(),
  },
  (table) => [
    index("milestone_due").on(table.repositoryId, table.dueAt.asc().nullsLast(), table.id),
    index("milestone_title").on(table.repositoryId, sql`lower(${table.title})`),
  ],
);

/** An issue, or what a pull request has in common with one. */
export const issue = pgTable(
  "issue",
  {
    id: id().primaryKey(),
    repositoryId: bigintNumber()
      .notNull()
      .references(() => repository.id, { onDelete: "cascade" }),
    /** From 1 in its repository, pull requests among them. */
    number: integer().notNull(),
    isPull: boolean().notNull().default(false),
    title: text().notNull(),
    body: text().notNull().default(""),
    /** The author did not write to the repository: the text counts in the share of guests (`texts.sql`). */
    byGuest: boolean().notNull().default(false),
    /** null: the author is gone. */
    authorId: bigintNumber().references(() => account.ownerId, { onDelete: "set null" }),
    /** The name and the id of the author on the server that it was brought from; empty and 0: written here. */
    originalAuthor: text().notNull().default(""),
    originalAuthorId: bigintNumber().notNull().default(0),
    closedAt: instant(),
    closedById: bigintNumber().references(() => account.ownerId, { onDelete: "set null" }),
    lockedAt: instant(),
    lockReason: text(),
    milestoneId: bigintNumber().references(() => milestone.id, { onDelete: "set null" }),
    dueAt: instant(),
    /** The branch or tag that it is about; empty: none. */
    ref: text().notNull().default(""),
    /** Comments with a text, by a trigger. */
    comments: integer().notNull().default(0),
    /** From 1 among the pinned ones of the repository and kind; null: not pinned. */
    pinOrder: integer(),
    /** Counts the changes of title and body. */
    contentVersion: integer().notNull().default(0),
    createdAt: instant().notNull().defaultNow(),
    updatedAt: instant().notNull().defaultNow(),
    /** The first 100,000 characters of the body, since a tsvector takes a megabyte at most. */
    words: tsvector()
      .notNull()
      .generatedAlwaysAs(
        sql`setweight(to_tsvector('simple', left("title", 1000)), 'A') || to_tsvector('simple', left("body", 100000))`,
      ),
  },
  (table) => [
    uniqueIndex("issue_number").on(table.repositoryId, table.number),
    index("issue_created").on(
      table.repositoryId,
      table.isPull,
      sql`(${table.closedAt} is null)`,
      table.createdAt,
      table.id,
    ),
    index("issue_updated").on(
      table.repositoryId,
      table.isPull,
      sql`(${table.closedAt} is null)`,
      table.updatedAt,
      table.id,
    ),
    index("issue_comments").on(
      table.repositoryId,
      table.isPull,
      sql`(${table.closedAt} is null)`,
      table.comments,
      table.id,
    ),
    index("issue_due").on(table.repositoryId, table.isPull, sql`(${table.closedAt} is null)`, table.dueAt, table.id),
    /** For searches across repositories. */
    index("issue_recent").on(table.isPull, sql`(${table.closedAt} is null)`, table.createdAt, table.id),
    index("issue_author").on(table.authorId, table.createdAt),
    index("issue_closed_by")
      .on(table.closedById)
      .where(sql`${table.closedById} is not null`),
    index("issue_milestone").on(table.milestoneId),
    uniqueIndex("issue_pin")
      .on(table.repositoryId, table.isPull, table.pinOrder)
      .where(sql`${table.pinOrder} is not null`),
    index("issue_words").using("gin", table.words),
  ],
);

const issueId = () =>
  bigintNumber()
    .notNull()
    .references((): AnyPgColumn => issue.id, { onDelete: "cascade" });

/** Where an issue went from a repository: its old number leads to it. */
export const issueRedirect = pgTable(
  "issue_redirect",
  {
    repositoryId: bigintNumber()
      .notNull()
      .references(() => repository.id, { onDelete: "cascade" }),
    number: integer().notNull(),
    issueId: issueId(),
  },
  (table) => [
    primaryKey({ columns: [table.repositoryId, table.number] }),
    index("issue_redirect_issue").on(table.issueId),
  ],
);

const userId = () =>
  bigintNumber()
    .notNull()
    .references((): AnyPgColumn => account.ownerId, { onDelete: "cascade" });

export const issueAssignee = pgTable("issue_assignee", { issueId: issueId(), userId: userId() }, (table) => [
  primaryKey({ columns: [table.issueId, table.userId] }),
  index("issue_assignee_user").on(table.userId, table.issueId),
]);

/**
 * Triggers write what is also in the issue (`set_issue_of_label`, `follow_issue_of_label`), so that an index has the issues of a
 * label in their order, and the number of them.
 */
export const issueLabel = pgTable(
  "issue_label",
  {
    issueId: issueId(),
    labelId: bigintNumber()
      .notNull()
      .references(() => label.id, { onDelete: "cascade" }),
    repositoryId: bigintNumber().notNull().default(0),
    isPull: boolean().notNull().default(false),
    isOpen: boolean().notNull().default(false),
    createdAt: instant().notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.issueId, table.labelId] }),
    index("issue_label_listed").on(
      table.labelId,
      table.repositoryId,
      table.isPull,
      table.isOpen,
      table.createdAt,
      table.issueId,
    ),
  ],
);

/** Users who chose to hear of an issue, or not to. Their choice goes before every other reason. */
export const issueSubscription = pgTable(
  "issue_subscription",
  { issueId: issueId(), userId: userId(), watching: boolean().notNull() },
  (table) => [
    primaryKey({ columns: [table.issueId, table.userId] }),
    index("issue_subscription_user").on(table.userId),
  ],
);

/** Users whom the text of an issue or of one of its comments names. */
export const issueMention = pgTable("issue_mention", { issueId: issueId(), userId: userId() }, (table) => [
  primaryKey({ columns: [table.issueId, table.userId] }),
  index("issue_mention_user").on(table.userId, table.issueId),
]);

/** An issue that cannot be closed before another one is. */
export const issueDependency = pgTable("issue_dependency", { issueId: issueId(), dependsOnId: issueId() }, (table) => [
  primaryKey({ columns: [table.issueId, table.dependsOnId] }),
  index("issue_dependency_on").on(table.dependsOnId, table.issueId),
  check("issue_dependency_other", sql`${table.issueId} <> ${table.dependsOnId}`),
]);
