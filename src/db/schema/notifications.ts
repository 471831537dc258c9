import { sql } from "drizzle-orm";
import { check, index, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import { bigintNumber, id, instant } from "./columns.ts";
import { issue } from "./issues.ts";
import { account } from "./owners.ts";
import { repository } from "./repositories.ts";

export const notificationSubjects = ["issue", "pull", "repository"] as const;
export type NotificationSubject = (typeof notificationSubjects)[number];

export const notificationStatuses = ["unread", "read", "pinned"] as const;
export type NotificationStatus = (typeof notificationStatuses)[number];

/** Why somebody hears of something, the strongest reason first. */
export const notificationReasons = [
  "assigned",
  "review-requested",
  "mentioned",
  "offered",
  "released",
  "scheduled",
  "quota",
  "wrote",
  "commented",
  "subscribed",
  "watching",
] as const;
export type NotificationReason = (typeof notificationReasons)[number];

/**
 * That something happened to an issue, a pull request or a repository: one row for each user and subject. Who may not see the
 * subject any more is not shown the row: that is decided when it is read.
 */
export const notification = pgTable(
  "notification",
  {
    id: id().primaryKey(),
    userId: bigintNumber()
      .notNull()
      .references(() => account.ownerId, { onDelete: "cascade" }),
    repositoryId: bigintNumber()
      .notNull()
      .references(() => repository.id, { onDelete: "cascade" }),
    subject: text({ enum: notificationSubjects }).notNull(),
    /** null: it is about the repository. */
    issueId: bigintNumber().references(() => issue.id, { onDelete: "cascade" }),
    status: text({ enum: notificationStatuses }).notNull().default("unread"),
    /** Why the user heard of what happened last. */
    reason: text({ enum: notificationReasons }).notNull(),
    /** When something happened last. */
    updatedAt: instant().notNull().defaultNow(),
    /** When the first thing happened that the user has not read. */
    unreadSince: instant().notNull().defaultNow(),
    /** The inbox shows it from this time on; null: it always did. */
    snoozedUntil: instant(),
  },
  (table) => [
    uniqueIndex("notification_once").on(table.userId, table.repositoryId, sql`coalesce(${table.issueId}, 0)`),
    index("notification_listed")
      .on(table.userId, table.updatedAt, table.id)
      .where(sql`${table.status} <> 'read'`),
    index("notification_counted")
      .on(table.userId, table.repositoryId, table.subject, table.status, table.reason, table.snoozedUntil)
      .where(sql`${table.status} <> 'read'`),
    index("notification_user").on(table.userId, table.updatedAt, table.id),
    index("notification_of_repository").on(table.userId, table.repositoryId, table.updatedAt, table.id),
    /** For their end: those that were read long ago. */
    index("notification_read")
      .on(table.updatedAt)
      .where(sql`${table.status} = 'read'`),
    index("notification_issue").on(table.issueId),
    index("notification_repository").on(table.repositoryId),
    check("notification_subject", sql`(${table.issueId} is null) = (${table.subject} = 'repository')`),
  ],
);
