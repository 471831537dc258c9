import { sql } from "drizzle-orm";
import {
  boolean,
  check,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  type AnyPgColumn,
} from "drizzle-orm/pg-core";
import { bigintNumber, bytea, bytewiseText, id, instant } from "./columns.ts";
import { issue } from "./issues.ts";
import { account, team } from "./owners.ts";
import { mergeStyles, repository } from "./repositories.ts";

/** How a pull request came: from a branch, or by a push to `refs/for/<branch>` (agit). */
export const pullFlows = ["branch", "agit"] as const;
export type PullFlow = (typeof pullFlows)[number];

/**
 * Whether base and head can be merged. "checking": it has to be worked out, because one of them moved. "empty": the head brings no change.
 * "error": it could not be worked out; the next push tries again.
 */
export const mergeabilities = ["checking", "mergeable", "conflict", "empty", "error"] as const;
export type Mergeability = (typeof mergeabilities)[number];

/** The verdicts of reviews. Only its author sees a pending one. A request is a review that somebody was asked for and has not given. */
export const reviewKinds = ["pending", "comment", "approve", "request-changes", "request"] as const;
export type ReviewKind = (typeof reviewKinds)[number];

const maybeUser = () => bigintNumber().references(() => account.ownerId, { onDelete: "set null" });
const pullId = () => bigintNumber().references((): AnyPgColumn => pull.issueId, { onDelete: "cascade" });

/**
 * What a pull request has beside its issue, which has title, body, state and number. The refs `refs/pull/<number>/head` and `…/merge` are of its
 * base repository, and only the server writes them.
 *
 * A push to the base changes all rows of the open ones for it, and no index has the columns that change. Pages are half full (fillfactor), so
 * the new rows stay on their pages, and no index is written.
 */
export const pull = pgTable(
  "pull",
  {
    issueId: bigintNumber()
      .primaryKey()
      .references(() => issue.id, { onDelete: "cascade" }),
    /** Whether the issue is open, by a trigger: indexes of the open ones need it here. */
    open: boolean().notNull().default(true),
    /** That of the issue. */
    baseRepositoryId: bigintNumber()
      .notNull()
      .references(() => repository.id, { onDelete: "cascade" }),
    /** Short name. */
    baseBranch: bytewiseText().notNull(),
    /** The tip of the base branch: of an open one as it is, by the push that moves it; else as it was when it was merged or closed. */
    baseOid: bytea().notNull(),
    flow: text({ enum: pullFlows }).notNull().default("branch"),
    /** The base repository itself, or a fork. null: the fork is gone. */
    headRepositoryId: bigintNumber().references(() => repository.id, { onDelete: "set null" }),
    /** Short name; of agit, the pusher's name and the topic: `smith/topic`. */
    headBranch: bytewiseText().notNull(),
    /** The commit that `refs/pull/<number>/head` points at. A fork's branch may be ahead of it until the job has brought the objects. */
    headOid: bytea().notNull(),
    /** Where the two parted; null: nowhere, after a push of another history. Of a merged one, before the merge. */
    mergeBaseOid: bytea(),
    mergeability: text({ enum: mergeabilities }).notNull().default("checking"),
    /** What the next columns were worked out for; null: not yet. They are shown as they are until they are worked out again. */
    checkedHeadOid: bytea(),
    checkedBaseOid: bytea(),
    /** Paths, a hundred at most. */
    conflictedFiles: text()
      .array()
      .notNull()
      .default(sql`'{}'`),
    additions: integer().notNull().default(0),
    deletions: integer().notNull().default(0),
    changedFiles: integer().notNull().default(0),
    /** Commits that the head reaches and the base does not. */
    commitCount: integer().notNull().default(0),
    /** Commits that the base reaches and the head does not: more than 0, and the head is outdated. */
    behindCount: integer().notNull().default(0),
    /** Whether those who may write to the base may push to the head's branch in the fork. */
    allowMaintainerEdit: boolean().notNull().default(false),
    /** The user who allowed it, which counts as long as this user may push to the head. null: the user is gone, or nobody did. */
    maintainerEditById: maybeUser(),
    /** Comments on lines, of reviews that were submitted. Those who write reviews count them. */
    reviewComments: integer().notNull().default(0),
    /** null: not merged. A merged one has a closed issue and is never reopened. */
    mergedAt: instant(),
    mergedById: maybeUser(),
    /** The commit of the base branch that has it. */
    mergeCommitOid: bytea(),
    mergeStyle: text({ enum: mergeStyles }),
  },
  (table) => [
    /** One open one of a pair. A push to the base finds by it what it makes stale. */
    uniqueIndex("pull_open")
      .on(table.baseRepositoryId, table.baseBranch, table.headRepositoryId, table.headBranch, table.flow)
      .where(sql`${table.open}`),
    index("pull_base").on(table.baseRepositoryId, table.baseBranch, table.issueId),
    index("pull_head").on(table.headRepositoryId, table.headBranch, table.issueId),
    /** Pull requests that wait for the statuses of a commit. */
    index("pull_head_oid")
      .on(table.baseRepositoryId, table.headOid)
      .where(sql`${table.open}`),
    /** Which one brought a commit. */
    index("pull_merge_commit")
      .on(table.baseRepositoryId, table.mergeCommitOid)
      .where(sql`${table.mergeCommitOid} is not null`),
    index("pull_merged_by")
      .on(table.mergedById)
      .where(sql`${table.mergedById} is not null`),
    index("pull_maintainer_edit_by")
      .on(table.maintainerEditById)
      .where(sql`${table.maintainerEditById} is not null`),
    check("pull_merged", sql`(${table.mergedAt} is null) = (${table.mergeCommitOid} is null)`),
    check(
      "pull_counts",
      sql`least(${table.additions}, ${table.deletions}, ${table.changedFiles}, ${table.commitCount}, ${table.behindCount}, ${table.reviewComments}) >= 0`,
    ),
  ],
);

/** A merge that waits for the statuses of its head. Whether the doer still may is decided when it is done. */
export const pullAutoMerge = pgTable(
  "pull_auto_merge",
  {
    pullId: pullId().primaryKey(),
    doerId: bigintNumber()
      .notNull()
      .references(() => account.ownerId, { onDelete: "cascade" }),
    /** The credential of the doer, as `CredentialReference` of the queue. */
    credential: jsonb().notNull().default({ kind: "none" }),
    /** The head that the doer has agreed to merge, and no other one. */
    headOid: bytea().notNull(),
    style: text({ enum: mergeStyles }).notNull(),
    /** Empty: as the template says. */
    title: text().notNull().default(""),
    message: text().notNull().default(""),
    deleteBranch: boolean().notNull().default(false),
    createdAt: instant().notNull().defaultNow(),
  },
  (table) => [index("pull_auto_merge_doer").on(table.doerId)],
);

/** A review of a pull request, or the request for one. Its comments on lines are rows of `review_comment`. */
export const review = pgTable(
  "review",
  {
    id: id().primaryKey(),
    pullId: pullId().notNull(),
    kind: text({ enum: reviewKinds }).notNull(),
    /** null: of a team, or they are gone. */
    reviewerId: maybeUser(),
    /** The team that was asked; null: a user. */
    teamId: bigintNumber().references(() => team.id, { onDelete: "cascade" }),
    /** The user who made a request; null if the server made it for the owners of files, or if nobody knows. */
    askedById: maybeUser(),
    body: text().notNull().default(""),
    /** Counts the changes of the body. */
    contentVersion: integer().notNull().default(0),
    /** The head that was reviewed; null: of a request. */
    commitOid: bytea(),
    /** Whether it counts for the protection of the base branch, as it was when it was given. */
    official: boolean().notNull().default(false),
    /** The head moved, and brought other changes. */
    stale: boolean().notNull().default(false),
    dismissed: boolean().notNull().default(false),
    createdAt: instant().notNull().defaultNow(),
    updatedAt: instant().notNull().defaultNow(),
    /** null: a pending one, or a request. */
    submittedAt: instant(),
  },
  (table) => [
    index("review_pull").on(table.pullId, table.id),
    index("review_reviewer").on(table.reviewerId, table.kind, table.pullId),
    index("review_team")
      .on(table.teamId, table.pullId)
      .where(sql`${table.teamId} is not null`),
    index("review_asked_by")
      .on(table.askedById)
      .where(sql`${table.askedById} is not null`),
    uniqueIndex("review_pending")
      .on(table.pullId, table.reviewerId)
      .where(sql`${table.kind} = 'pending'`),
    uniqueIndex("review_requested")
      .on(table.pullId, table.reviewerId)
      .where(sql`${table.kind} = 'request' and ${table.reviewerId} is not null`),
    uniqueIndex("review_requested_team")
      .on(table.pullId, table.teamId)
      .where(sql`${table.kind} = 'request' and ${table.teamId} is not null`),
    check(
      "review_team_request",
      sql`${table.teamId} is null or (${table.kind} = 'request' and ${table.reviewerId} is null)`,
    ),
  ],
);

/** A file of a pull request that somebody has looked at. Once its content is another one, they have not. */
export const viewedFile = pgTable(
  "viewed_file",
  {
    pullId: pullId().notNull(),
    userId: bigintNumber()
      .notNull()
      .references(() => account.ownerId, { onDelete: "cascade" }),
    path: bytewiseText().notNull(),
    /** The blob; empty: the file is deleted. */
    oid: bytea().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.pullId, table.userId, table.path] }),
    index("viewed_file_user").on(table.userId),
  ],
);
