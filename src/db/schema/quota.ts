import { date, index, pgTable, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import { bigintNumber, bytea, bytewiseText, id, instant } from "./columns.ts";
import { owner } from "./owners.ts";
import { repository } from "./repositories.ts";

/**
 * What an owner's repositories and files take, bytes: sums that triggers keep in the transaction that changes what they
 * count. No row: nothing. `stithy doctor --recount` compares them with what is stored. `guests…` is what others than those who write
 * to a repository brought to it: the packs and LFS objects of pull requests that are not merged, files of issues, and what they wrote to a
 * wiki that anybody may edit. The column without this word does not have it.
 */
export const ownerUsage = pgTable("owner_usage", {
  ownerId: bigintNumber().primaryKey(),
  /** Packs linked to public repositories, in each repository whole, whoever else links them. */
  reposPublic: bigintNumber().notNull().default(0),
  reposPrivate: bigintNumber().notNull().default(0),
  /** LFS objects, once a repository. */
  gitLfs: bigintNumber().notNull().default(0),
  attachmentsIssues: bigintNumber().notNull().default(0),
  attachmentsReleases: bigintNumber().notNull().default(0),
  artifacts: bigintNumber().notNull().default(0),
  /** With the indexes that the server makes of them. */
  packages: bigintNumber().notNull().default(0),
  /** Packs of wikis. */
  wikis: bigintNumber().notNull().default(0),
  /** Avatars of users, organizations and repositories. */
  pictures: bigintNumber().notNull().default(0),
  guestsPublic: bigintNumber().notNull().default(0),
  guestsPrivate: bigintNumber().notNull().default(0),
  guestsLfs: bigintNumber().notNull().default(0),
  guestsIssues: bigintNumber().notNull().default(0),
  guestsWikis: bigintNumber().notNull().default(0),
});

/** Bytes of the packs that a pull request brought, until it is merged: `repository_size.guest_bytes` has their sum. */
export const pullBytes = pgTable(
  "pull_bytes",
  {
    repositoryId: bigintNumber()
      .notNull()
      .references(() => repository.id, { onDelete: "cascade" }),
    number: bigintNumber().notNull(),
    bytes: bigintNumber().notNull(),
  },
  (table) => [primaryKey({ columns: [table.repositoryId, table.number] })],
);

/** The LFS objects that the commits of a pull request from a fork point to, until it is merged: its merge makes these the owner's, and no others. */
export const pullObject = pgTable(
  "pull_object",
  {
    repositoryId: bigintNumber()
      .notNull()
      .references(() => repository.id, { onDelete: "cascade" }),
    number: bigintNumber().notNull(),
    sha256: bytea().notNull(),
  },
  (table) => [primaryKey({ columns: [table.repositoryId, table.number, table.sha256] })],
);

/** Owners who were told that they use nearly all that they may. The row goes when they use less again. */
export const quotaWarning = pgTable("quota_warning", {
  ownerId: bigintNumber()
    .primaryKey()
    .references(() => owner.id, { onDelete: "cascade" }),
  warnedAt: instant().notNull().defaultNow(),
});

/** A limit on the bytes of some subjects together (`domain/identity/quota/subjects.ts`). */
export const quotaRule = pgTable(
  "quota_rule",
  {
    id: id().primaryKey(),
    name: bytewiseText().notNull(),
    limitBytes: bigintNumber().notNull(),
    subjects: text().array().notNull(),
    createdAt: instant().notNull().defaultNow(),
  },
  (table) => [uniqueIndex("quota_rule_name").on(table.name)],
);

/** Rules that hold together. */
export const quotaGroup = pgTable(
  "quota_group",
  { id: id().primaryKey(), name: bytewiseText().notNull(), createdAt: instant().notNull().defaultNow() },
  (table) => [uniqueIndex("quota_group_name").on(table.name)],
);

export const quotaGroupRule = pgTable(
  "quota_group_rule",
  {
    groupId: bigintNumber()
      .notNull()
      .references(() => quotaGroup.id, { onDelete: "cascade" }),
    ruleId: bigintNumber()
      .notNull()
      .references(() => quotaRule.id, { onDelete: "cascade" }),
  },
  (table) => [primaryKey({ columns: [table.groupId, table.ruleId] }), index("quota_group_rule_rule").on(table.ruleId)],
);

/** The groups that an owner was given, in the place of the default ones. */
export const quotaGroupOwner = pgTable(
  "quota_group_owner",
  {
    groupId: bigintNumber()
      .notNull()
      .references(() => quotaGroup.id, { onDelete: "cascade" }),
    ownerId: bigintNumber()
      .notNull()
      .references(() => owner.id, { onDelete: "cascade" }),
  },
  (table) => [
    primaryKey({ columns: [table.ownerId, table.groupId] }),
    index("quota_group_owner_group").on(table.groupId, table.ownerId),
  ],
);

/** The bytes that an owner used on a day (UTC), by the last count of the day: kept for `mostDays` (`domain/identity/quota/history-queries.ts`). */
export const usageDay = pgTable(
  "usage_day",
  {
    ownerId: bigintNumber()
      .notNull()
      .references(() => owner.id, { onDelete: "cascade" }),
    day: date().notNull(),
    reposPublic: bigintNumber().notNull(),
    reposPrivate: bigintNumber().notNull(),
    gitLfs: bigintNumber().notNull(),
    attachmentsIssues: bigintNumber().notNull(),
    attachmentsReleases: bigintNumber().notNull(),
    artifacts: bigintNumber().notNull(),
    packages: bigintNumber().notNull(),
  },
  (table) => [primaryKey({ columns: [table.ownerId, table.day] }), index("usage_day_day").on(table.day)],
);
