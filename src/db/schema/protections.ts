import { sql } from "drizzle-orm";
import { boolean, check, index, integer, pgTable, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import { bigintNumber, bytewiseText, id, instant } from "./columns.ts";
import { account, team } from "./owners.ts";
import { repository } from "./repositories.ts";

/** The lists of users and teams in a branch protection. */
export const protectionLists = ["push", "force-push", "delete", "merge", "approvals"] as const;
export type ProtectionList = (typeof protectionLists)[number];

const flag = () => boolean().notNull().default(false);

/** Rules for the branches whose names match. A list counts where it is enabled; else whoever may write to the code is on it. */
export const branchProtection = pgTable(
  "branch_protection",
  {
    id: id().primaryKey(),
    repositoryId: bigintNumber()
      .notNull()
      .references(() => repository.id, { onDelete: "cascade" }),
    /** The name of a branch, or a pattern (`lib/name-pattern.ts`). */
    ruleName: bytewiseText().notNull(),
    /** If several patterns match, the one with the lowest number counts, and the oldest of equal ones. */
    priority: integer().notNull(),
    enablePush: flag(),
    enablePushList: flag(),
    pushDeployKeys: flag(),
    enableForcePush: flag(),
    enableForcePushList: flag(),
    forcePushDeployKeys: flag(),
    enableDelete: flag(),
    enableDeleteList: flag(),
    deleteDeployKeys: flag(),
    enableMergeList: flag(),
    enableApprovalsList: flag(),
    requiredApprovals: integer().notNull().default(0),
    enableStatusCheck: flag(),
    statusCheckContexts: text()
      .array()
      .notNull()
      .default(sql`'{}'`),
    blockOnRejectedReviews: flag(),
    blockOnOfficialReviewRequests: flag(),
    blockOnOutdatedBranch: flag(),
    dismissStaleApprovals: flag(),
    ignoreStaleApprovals: flag(),
    requireSignedCommits: flag(),
    /** Patterns between semicolons. */
    protectedFilePatterns: text().notNull().default(""),
    unprotectedFilePatterns: text().notNull().default(""),
    applyToAdmins: flag(),
    createdAt: instant().notNull().defaultNow(),
    updatedAt: instant().notNull().defaultNow(),
  },
  (table) => [
    uniqueIndex("branch_protection_name").on(table.repositoryId, table.ruleName),
    check("branch_protection_approvals", sql`${table.requiredApprovals} >= 0`),
  ],
);

export const branchProtectionUser = pgTable(
  "branch_protection_user",
  {
    protectionId: bigintNumber()
      .notNull()
      .references(() => branchProtection.id, { onDelete: "cascade" }),
    list: text({ enum: protectionLists }).notNull(),
    userId: bigintNumber()
      .notNull()
      .references(() => account.ownerId, { onDelete: "cascade" }),
  },
  (table) => [
    primaryKey({ columns: [table.protectionId, table.list, table.userId] }),
    index("branch_protection_user_user").on(table.userId),
  ],
);

export const branchProtectionTeam = pgTable(
  "branch_protection_team",
  {
    protectionId: bigintNumber()
      .notNull()
      .references(() => branchProtection.id, { onDelete: "cascade" }),
    list: text({ enum: protectionLists }).notNull(),
    teamId: bigintNumber()
      .notNull()
      .references(() => team.id, { onDelete: "cascade" }),
  },
  (table) => [
    primaryKey({ columns: [table.protectionId, table.list, table.teamId] }),
    index("branch_protection_team_team").on(table.teamId),
  ],
);

/** Tags whose names match are made, moved and deleted by those on the lists of one rule that matches, and by nobody else. */
export const tagProtection = pgTable(
  "tag_protection",
  {
    id: id().primaryKey(),
    repositoryId: bigintNumber()
      .notNull()
      .references(() => repository.id, { onDelete: "cascade" }),
    namePattern: bytewiseText().notNull(),
    createdAt: instant().notNull().defaultNow(),
    updatedAt: instant().notNull().defaultNow(),
  },
  (table) => [uniqueIndex("tag_protection_name").on(table.repositoryId, table.namePattern)],
);

export const tagProtectionUser = pgTable(
  "tag_protection_user",
  {
    protectionId: bigintNumber()
      .notNull()
      .references(() => tagProtection.id, { onDelete: "cascade" }),
    userId: bigintNumber()
      .notNull()
      .references(() => account.ownerId, { onDelete: "cascade" }),
  },
  (table) => [
    primaryKey({ columns: [table.protectionId, table.userId] }),
    index("tag_protection_user_user").on(table.userId),
  ],
);

export const tagProtectionTeam = pgTable(
  "tag_protection_team",
  {
    protectionId: bigintNumber()
      .notNull()
      .references(() => tagProtection.id, { onDelete: "cascade" }),
    teamId: bigintNumber()
      .notNull()
      .references(() => team.id, { onDelete: "cascade" }),
  },
  (table) => [
    primaryKey({ columns: [table.protectionId, table.teamId] }),
    index("tag_protection_team_team").on(table.teamId),
  ],
);
