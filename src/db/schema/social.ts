import { sql } from "drizzle-orm";
import { boolean, check, index, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { bigintNumber, bytewiseText, id, instant } from "./columns.ts";
import { account, owner } from "./owners.ts";
import { repository } from "./repositories.ts";

export const follow = pgTable(
  "follow",
  {
    followerId: bigintNumber()
      .notNull()
      .references(() => account.ownerId, { onDelete: "cascade" }),
    followedId: bigintNumber()
      .notNull()
      .references(() => account.ownerId, { onDelete: "cascade" }),
    createdAt: instant().notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.followerId, table.followedId] }),
    index("follow_followed").on(table.followedId),
    check("follow_other", sql`${table.followerId} <> ${table.followedId}`),
  ],
);

/** Whom a user or an organization keeps away: the blocked one can no longer act on what is theirs. */
export const block = pgTable(
  "block",
  {
    blockerId: bigintNumber()
      .notNull()
      .references(() => owner.id, { onDelete: "cascade" }),
    blockedId: bigintNumber()
      .notNull()
      .references(() => account.ownerId, { onDelete: "cascade" }),
    createdAt: instant().notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.blockerId, table.blockedId] }), index("block_blocked").on(table.blockedId)],
);

export const star = pgTable(
  "star",
  {
    userId: bigintNumber()
      .notNull()
      .references(() => account.ownerId, { onDelete: "cascade" }),
    repositoryId: bigintNumber()
      .notNull()
      .references(() => repository.id, { onDelete: "cascade" }),
    createdAt: instant().notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.repositoryId] }),
    index("star_repository").on(table.repositoryId),
  ],
);

/** Who hears of what happens in a repository: of new and changed issues, of pull requests, of releases. */
export const watch = pgTable(
  "watch",
  {
    userId: bigintNumber()
      .notNull()
      .references(() => account.ownerId, { onDelete: "cascade" }),
    repositoryId: bigintNumber()
      .notNull()
      .references(() => repository.id, { onDelete: "cascade" }),
    issues: boolean().notNull().default(true),
    pulls: boolean().notNull().default(true),
    releases: boolean().notNull().default(true),
    createdAt: instant().notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.repositoryId] }),
    index("watch_repository").on(table.repositoryId),
  ],
);

export const activityKinds = [
  "create_repo",
  "rename_repo",
  "star_repo",
  "watch_repo",
  "commit_repo",
  "create_issue",
  "create_pull_request",
  "transfer_repo",
  "push_tag",
  "comment_issue",
  "merge_pull_request",
  "close_issue",
  "reopen_issue",
  "close_pull_request",
  "reopen_pull_request",
  "delete_tag",
  "delete_branch",
  "mirror_sync_push",
  "mirror_sync_create",
  "mirror_sync_delete",
  "approve_pull_request",
  "reject_pull_request",
  "comment_pull",
  "publish_release",
  "pull_review_dismissed",
  "pull_request_ready_for_review",
  "auto_merge_pull_request",
] as const;
export type ActivityKind = (typeof activityKinds)[number];

/**
 * What somebody did in a repository: one row, written in the transaction of the deed. Who may see it follows from who may
 * see the repository when it is read.
 */
export const activity = pgTable(
  "activity",
  {
    id: id().primaryKey(),
    actorId: bigintNumber()
      .notNull()
      .references(() => owner.id, { onDelete: "cascade" }),
    kind: text({ enum: activityKinds }).notNull(),
    repositoryId: bigintNumber()
      .notNull()
      .references(() => repository.id, { onDelete: "cascade" }),
    /** The full name of the ref that it was about, or empty. */
    refName: bytewiseText().notNull().default(""),
    /** Further fields of the kind: the commits of a push as JSON; the ids of an issue's activity as JSON. */
    content: text().notNull().default(""),
    at: instant().notNull().defaultNow(),
  },
  (table) => [
    index("activity_actor").on(table.actorId, table.id),
    index("activity_repository").on(table.repositoryId, table.id),
  ],
);
