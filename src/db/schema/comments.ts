import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  check,
  index,
  integer,
  pgTable,
  text,
  uniqueIndex,
  type AnyPgColumn,
} from "drizzle-orm/pg-core";
import { bigintNumber, bytea, bytewiseText, id, instant } from "./columns.ts";
import { issue, label, milestone } from "./issues.ts";
import { account, team } from "./owners.ts";
import { review } from "./pulls.ts";
import { repository } from "./repositories.ts";
import { trackedTime } from "./times.ts";

/** The kinds of entries of a timeline. The names are those that the API shows. */
export const timelineKinds = [
  "comment",
  "reopen",
  "close",
  "issue_ref",
  "commit_ref",
  "comment_ref",
  "pull_ref",
  "label",
  "milestone",
  "assignees",
  "change_title",
  "delete_branch",
  "start_tracking",
  "stop_tracking",
  "add_time_manual",
  "cancel_tracking",
  "added_deadline",
  "modified_deadline",
  "removed_deadline",
  "add_dependency",
  "remove_dependency",
  "code",
  "review",
  "lock",
  "unlock",
  "change_target_branch",
  "delete_time_manual",
  "review_request",
  "merge_pull",
  "pull_push",
  "dismiss_review",
  "change_issue_ref",
  "pull_scheduled_merge",
  "pull_cancel_scheduled_merge",
  "pin",
  "unpin",
] as const;
export type TimelineKind = (typeof timelineKinds)[number];

const maybeUser = () => bigintNumber().references(() => account.ownerId, { onDelete: "set null" });

/** An entry of the timeline of an issue or a pull request. A comment is one of them. Each kind uses the columns that it needs. */
export const comment = pgTable(
  "comment",
  {
    id: id().primaryKey(),
    /** That of the issue. */
    repositoryId: bigintNumber()
      .notNull()
      .references(() => repository.id, { onDelete: "cascade" }),
    issueId: bigintNumber()
      .notNull()
      .references(() => issue.id, { onDelete: "cascade" }),
    kind: text({ enum: timelineKinds }).notNull(),
    /** null: the author is gone. */
    authorId: maybeUser(),
    /** The name and the id of the author on the server that it was brought from; empty and 0: written here. */
    originalAuthor: text().notNull().default(""),
    originalAuthorId: bigintNumber().notNull().default(0),
    /** The text of a comment. */
    body: text().notNull().default(""),
    /** The author did not write to the repository: the text counts in the share of guests (`texts.sql`). */
    byGuest: boolean().notNull().default(false),
    /** Counts the changes of the body. */
    contentVersion: bigint({ mode: "number" }).notNull().default(0),
    labelId: bigintNumber().references(() => label.id, { onDelete: "set null" }),
    milestoneId: bigintNumber().references(() => milestone.id, { onDelete: "set null" }),
    oldMilestoneId: bigintNumber().references(() => milestone.id, { onDelete: "set null" }),
    assigneeId: maybeUser(),
    /** The team that was asked for a review. */
    assigneeTeamId: bigintNumber().references(() => team.id, { onDelete: "set null" }),
    /** The review that it tells of, or that a comment on a line (kind "code") belongs to. */
    reviewId: bigintNumber().references(() => review.id, { onDelete: "cascade" }),
    /** Of a review that is not submitted yet: only its author may know of it. Of a push, that it is not known yet what it brought: nobody may. */
    pending: boolean().notNull().default(false),
    /** Whether a label was put there, or an assignee taken away. */
    added: boolean(),
    /** Titles, refs and dates, before and after. */
    oldText: text(),
    newText: text(),
    /** The issue that depends, or is depended on, or refers to this one. */
    otherIssueId: bigintNumber().references(() => issue.id, { onDelete: "set null" }),
    /** The comment that refers to this issue. */
    otherCommentId: bigintNumber().references((): AnyPgColumn => comment.id, { onDelete: "cascade" }),
    commitOid: bytea(),
    /** The repository of the commit. */
    otherRepositoryId: bigintNumber().references(() => repository.id, { onDelete: "cascade" }),
    /** The action that a reference asks for: "closes" or "reopens"; empty: none. */
    refAction: text(),
    /** Whether that was done. A reference asks once. */
    refDone: boolean(),
    /** The issue, comment or commit that refers, so that it does so once. A commit keeps this after a rebase. */
    refKey: text(),
    /** Time that was tracked or deleted, seconds. */
    seconds: bigintNumber(),
    /** null where it was deleted since. */
    trackedTimeId: bigintNumber().references(() => trackedTime.id, { onDelete: "set null" }),
    createdAt: instant().notNull().defaultNow(),
    updatedAt: instant().notNull().defaultNow(),
  },
  (table) => [
    index("comment_issue").on(table.issueId, table.createdAt, table.id),
    index("comment_repository")
      .on(table.repositoryId, table.createdAt, table.id)
      .where(sql`${table.kind} = 'comment'`),
    /**
     * What a search for words finds: comments, those on lines, and the texts of reviews, as soon as others see them. The repository is one of
     * the words, so that a search in one meets no comments of others.
     */
    index("comment_words")
      .using("gin", sql`comment_words(${table.repositoryId}, ${table.body})`)
      .where(sql`${table.kind} in ('comment', 'code', 'review') and not ${table.pending} and ${table.body} <> ''`),
    index("comment_author").on(table.authorId),
    index("comment_label")
      .on(table.labelId)
      .where(sql`${table.labelId} is not null`),
    index("comment_milestone")
      .on(table.milestoneId)
      .where(sql`${table.milestoneId} is not null`),
    index("comment_old_milestone")
      .on(table.oldMilestoneId)
      .where(sql`${table.oldMilestoneId} is not null`),
    index("comment_assignee")
      .on(table.assigneeId)
      .where(sql`${table.assigneeId} is not null`),
    index("comment_assignee_team")
      .on(table.assigneeTeamId)
      .where(sql`${table.assigneeTeamId} is not null`),
    index("comment_review")
      .on(table.reviewId, table.id)
      .where(sql`${table.reviewId} is not null`),
    index("comment_other_issue")
      .on(table.otherIssueId)
      .where(sql`${table.otherIssueId} is not null`),
    index("comment_other_comment")
      .on(table.otherCommentId)
      .where(sql`${table.otherCommentId} is not null`),
    index("comment_other_repository")
      .on(table.otherRepositoryId)
      .where(sql`${table.otherRepositoryId} is not null`),
    uniqueIndex("comment_reference")
      .on(table.issueId, table.refKey)
      .where(sql`${table.refKey} is not null`),
    index("comment_tracked_time")
      .on(table.trackedTimeId)
      .where(sql`${table.trackedTimeId} is not null`),
  ],
);

/** Sides of a diff: what the base has, what the head has. */
export const diffSides = ["old", "new"] as const;

/** Where a comment on a line is; the comment has kind "code", the text, the author and the review. */
export const reviewComment = pgTable(
  "review_comment",
  {
    commentId: bigintNumber()
      .primaryKey()
      .references(() => comment.id, { onDelete: "cascade" }),
    path: bytewiseText().notNull(),
    side: text({ enum: diffSides }).notNull(),
    /** From 1, in the file of that side at `commitOid`. It moves with the code. */
    line: integer().notNull(),
    /** So many lines before it belong to it. */
    extraLines: integer().notNull().default(0),
    /** The head that `line` was last worked out for, and the one that the comment was made on. */
    commitOid: bytea().notNull(),
    originalCommitOid: bytea().notNull(),
    /** `line` and `extraLines` as they were there. */
    originalLine: integer().notNull(),
    originalExtraLines: integer().notNull().default(0),
    /** The lines of the patch around it, as they were. */
    diffHunk: text().notNull().default(""),
    /** The code that it is about is gone. */
    invalidated: boolean().notNull().default(false),
    /** The user who resolved it; null: nobody, or the user is gone. */
    resolverId: maybeUser(),
    resolvedAt: instant(),
    /** The first comment of the conversation; null: this one. */
    replyTo: bigintNumber().references((): AnyPgColumn => reviewComment.commentId, { onDelete: "set null" }),
  },
  (table) => [
    index("review_comment_resolver")
      .on(table.resolverId)
      .where(sql`${table.resolverId} is not null`),
    index("review_comment_reply")
      .on(table.replyTo)
      .where(sql`${table.replyTo} is not null`),
    check(
      "review_comment_line",
      sql`${table.extraLines} >= 0 and ${table.line} > ${table.extraLines} and ${table.originalExtraLines} >= 0 and ${table.originalLine} > ${table.originalExtraLines}`,
    ),
  ],
);

/** The title or text of an issue, or the text of a comment, before an edit. */
export const formerContent = pgTable(
  "former_content",
  {
    id: id().primaryKey(),
    issueId: bigintNumber()
      .notNull()
      .references(() => issue.id, { onDelete: "cascade" }),
    /** That of the issue. */
    repositoryId: bigintNumber().notNull(),
    /** As that of the issue or the comment. */
    byGuest: boolean().notNull(),
    /** null: of the issue itself. */
    commentId: bigintNumber().references(() => comment.id, { onDelete: "cascade" }),
    /** null: of a comment, or the title stayed. */
    title: text(),
    body: text(),
    editorId: maybeUser(),
    createdAt: instant().notNull().defaultNow(),
    /** When somebody deleted the text, which is empty since then. */
    forgottenAt: instant(),
  },
  (table) => [
    index("former_content_of").on(table.issueId, table.commentId, table.id),
    index("former_content_comment").on(table.commentId),
    index("former_content_editor").on(table.editorId),
  ],
);

export const reaction = pgTable(
  "reaction",
  {
    id: id().primaryKey(),
    issueId: bigintNumber()
      .notNull()
      .references(() => issue.id, { onDelete: "cascade" }),
    /** null: to the issue itself. */
    commentId: bigintNumber().references(() => comment.id, { onDelete: "cascade" }),
    userId: bigintNumber()
      .notNull()
      .references(() => account.ownerId, { onDelete: "cascade" }),
    /** A name such as "heart" or "+1". */
    content: text().notNull(),
    createdAt: instant().notNull().defaultNow(),
  },
  (table) => [
    uniqueIndex("reaction_once").on(table.issueId, sql`coalesce(${table.commentId}, 0)`, table.userId, table.content),
    index("reaction_comment").on(table.commentId),
    index("reaction_user").on(table.userId),
    check("reaction_content", sql`length(${table.content}) between 1 and 50`),
  ],
);
