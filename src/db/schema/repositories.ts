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
import { account, owner, team } from "./owners.ts";

export const objectFormats = ["sha1", "sha256"] as const;
export const mergeStyles = [
  "merge",
  "rebase",
  "rebase-merge",
  "squash",
  "fast-forward-only",
  "manually-merged",
  "rebase-update-only",
] as const;
export type MergeStyle = (typeof mergeStyles)[number];
export const updateStyles = ["merge", "rebase"] as const;
export const trustModels = ["default", "collaborator", "committer", "collaboratorcommitter"] as const;

export const repository = pgTable(
  "repository",
  {
    id: id().primaryKey(),
    ownerId: bigintNumber()
      .notNull()
      .references(() => owner.id, { onDelete: "restrict" }),
    name: bytewiseText().notNull(),
    lowerName: bytewiseText().notNull(),
    description: text().notNull().default(""),
    website: text().notNull().default(""),
    private: boolean().notNull().default(false),
    template: boolean().notNull().default(false),
    /** It follows a repository elsewhere (`pull_mirror`): the server alone moves its branches and tags. */
    mirror: boolean().notNull().default(false),
    archivedAt: instant(),
    defaultBranch: bytewiseText().notNull(),
    objectFormat: text({ enum: objectFormats }).notNull().default("sha1"),
    trustModel: text({ enum: trustModels }).notNull().default("default"),
    /** The repository that this one was forked from, while that exists. Its id is the smaller one. */
    forkOf: bigintNumber().references((): AnyPgColumn => repository.id, { onDelete: "set null" }),
    /** The address that it was migrated from, without credentials. null: it was made here. */
    originalUrl: text(),
    /** Counts the writes to refs and packs: caches of anything derived from them are keyed by it. */
    generation: bigintNumber().notNull().default(0),
    /** True until the first branch exists. */
    empty: boolean().notNull().default(true),
    topics: text()
      .array()
      .notNull()
      .default(sql`'{}'`),
    /** The uploaded picture, a blob: a trigger writes its row of `blob_reference`. null: there is none. */
    avatarSha256: bytea(),
    hasCode: boolean().notNull().default(true),
    hasIssues: boolean().notNull().default(true),
    hasPullRequests: boolean().notNull().default(true),
    hasReleases: boolean().notNull().default(true),
    hasWiki: boolean().notNull().default(true),
    hasPackages: boolean().notNull().default(true),
    hasProjects: boolean().notNull().default(true),
    hasActions: boolean().notNull().default(false),
    globallyEditableWiki: boolean().notNull().default(false),
    wikiBranch: text().notNull().default("main"),
    enableTimeTracker: boolean().notNull().default(true),
    allowOnlyContributorsToTrackTime: boolean().notNull().default(true),
    enableIssueDependencies: boolean().notNull().default(true),
    externalTrackerUrl: text(),
    externalTrackerFormat: text(),
    externalTrackerStyle: text(),
    externalTrackerPattern: text(),
    externalWikiUrl: text(),
    ignoreWhitespaceConflicts: boolean().notNull().default(false),
    allowMergeCommits: boolean().notNull().default(true),
    allowRebase: boolean().notNull().default(true),
    allowRebaseExplicit: boolean().notNull().default(true),
    allowSquashMerge: boolean().notNull().default(true),
    allowFastForwardOnlyMerge: boolean().notNull().default(true),
    allowRebaseUpdate: boolean().notNull().default(true),
    allowManualMerge: boolean().notNull().default(false),
    autodetectManualMerge: boolean().notNull().default(false),
    defaultDeleteBranchAfterMerge: boolean().notNull().default(false),
    defaultAllowMaintainerEdit: boolean().notNull().default(false),
    defaultMergeStyle: text({ enum: mergeStyles }).notNull().default("merge"),
    defaultUpdateStyle: text({ enum: updateStyles }).notNull().default("merge"),
    createdAt: instant().notNull().defaultNow(),
    updatedAt: instant().notNull().defaultNow(),
  },
  (table) => [
    uniqueIndex("repository_owner_name").on(table.ownerId, table.lowerName),
    index("repository_fork").on(table.forkOf, table.ownerId),
  ],
);

/** Where a repository was before it was renamed: old addresses lead to it until the name is used again. */
export const repositoryRedirect = pgTable(
  "repository_redirect",
  {
    ownerId: bigintNumber()
      .notNull()
      .references(() => owner.id, { onDelete: "cascade" }),
    lowerName: bytewiseText().notNull(),
    repositoryId: bigintNumber()
      .notNull()
      .references(() => repository.id, { onDelete: "cascade" }),
  },
  (table) => [
    primaryKey({ columns: [table.ownerId, table.lowerName] }),
    index("repository_redirect_target").on(table.repositoryId),
  ],
);

export const collaborator = pgTable(
  "collaborator",
  {
    repositoryId: bigintNumber()
      .notNull()
      .references(() => repository.id, { onDelete: "cascade" }),
    userId: bigintNumber()
      .notNull()
      .references(() => account.ownerId, { onDelete: "cascade" }),
    mode: integer().notNull(),
    /** The repository was offered to them, and they have to see it; the access ends with the offer. */
    forTransfer: boolean().notNull().default(false),
  },
  (table) => [
    primaryKey({ columns: [table.repositoryId, table.userId] }),
    index("collaborator_user").on(table.userId),
    check("collaborator_mode", sql`${table.mode} between 1 and 3`),
  ],
);

export const teamRepository = pgTable(
  "team_repository",
  {
    teamId: bigintNumber()
      .notNull()
      .references(() => team.id, { onDelete: "cascade" }),
    repositoryId: bigintNumber()
      .notNull()
      .references(() => repository.id, { onDelete: "cascade" }),
  },
  (table) => [
    primaryKey({ columns: [table.teamId, table.repositoryId] }),
    index("team_repository_repository").on(table.repositoryId),
  ],
);

/**
 * The owner of refs and packs. A repository has one by its own id, by a trigger; its wiki has one by minus that id, once
 * something was written to it. A wiki is no row of `repository`, so no query of repositories finds it.
 */
export const gitStore = pgTable(
  "git_store",
  {
    id: bigintNumber().primaryKey(),
    repositoryId: bigintNumber()
      .notNull()
      .generatedAlwaysAs(sql`abs(id)`)
      .references(() => repository.id, { onDelete: "cascade" }),
  },
  (table) => [index("git_store_repository").on(table.repositoryId)],
);

/** A wiki that was written to has the columns here that its code has in `repository`. Its default branch is `wikiBranch` there. */
export const wiki = pgTable(
  "wiki",
  {
    /** Minus the repository's id. */
    id: bigintNumber()
      .primaryKey()
      .references(() => gitStore.id, { onDelete: "cascade" }),
    generation: bigintNumber().notNull().default(0),
    /** True until the first branch exists. */
    empty: boolean().notNull().default(true),
    /** Bytes of its packs. */
    gitBytes: bigintNumber().notNull().default(0),
    /** How many of them people brought who edit it because anybody may. */
    guestBytes: bigintNumber().notNull().default(0),
  },
  (table) => [check("wiki_id", sql`${table.id} < 0`)],
);

/**
 * The refs of a repository, or of its wiki. HEAD is not a row: it is the default branch. There is no foreign key, which would
 * look at each of the 100,000 refs of a push or fork and take longer than writing them: whoever writes refs holds the
 * repository's row, and a trigger deletes them with their git store.
 */
export const ref = pgTable(
  "ref",
  {
    /** An id of `git_store`, here and in the next tables: the repository's, or minus that. */
    repositoryId: bigintNumber().notNull(),
    /** The full name, such as refs/heads/main. */
    name: bytewiseText().notNull(),
    oid: bytea().notNull(),
    /** The object that an annotated tag finally points at, so that an advertisement is one query. */
    peeled: bytea(),
  },
  (table) => [primaryKey({ columns: [table.repositoryId, table.name] })],
);

export const reflog = pgTable(
  "reflog",
  {
    id: id().primaryKey(),
    repositoryId: bigintNumber()
      .notNull()
      .references(() => gitStore.id, { onDelete: "cascade" }),
    name: bytewiseText().notNull(),
    /** null: the ref was created. */
    oldOid: bytea(),
    /** null: the ref was deleted. */
    newOid: bytea(),
    actorId: bigintNumber().references(() => owner.id, { onDelete: "set null" }),
    reason: text().notNull(),
    at: instant().notNull().defaultNow(),
  },
  (table) => [index("reflog_ref").on(table.repositoryId, table.name, table.id)],
);

/** A pack file under the data directory, named by its checksum. */
export const pack = pgTable(
  "pack",
  {
    id: id().primaryKey(),
    checksum: bytewiseText().notNull(),
    objects: integer().notNull(),
    bytes: bigintNumber().notNull(),
    createdAt: instant().notNull().defaultNow(),
    /** When its last repository was deleted or repacked; an hour later the collector removes its files and the row. */
    retiredAt: instant(),
  },
  (table) => [
    uniqueIndex("pack_checksum").on(table.checksum),
    index("pack_retired")
      .on(table.retiredAt)
      .where(sql`${table.retiredAt} is not null`),
  ],
);

export const repositoryPack = pgTable(
  "repository_pack",
  {
    repositoryId: bigintNumber()
      .notNull()
      .references(() => gitStore.id, { onDelete: "cascade" }),
    packId: bigintNumber()
      .notNull()
      .references(() => pack.id, { onDelete: "restrict" }),
  },
  (table) => [
    primaryKey({ columns: [table.repositoryId, table.packId] }),
    index("repository_pack_pack").on(table.packId),
  ],
);

/** Marks that site administrators put on a repository. */
export const repositoryFlag = pgTable(
  "repository_flag",
  {
    repositoryId: bigintNumber()
      .notNull()
      .references(() => repository.id, { onDelete: "cascade" }),
    name: bytewiseText().notNull(),
  },
  (table) => [primaryKey({ columns: [table.repositoryId, table.name] })],
);

/** How many bytes of which languages a commit has: that which was the default branch's when they were counted. */
export const repositoryLanguages = pgTable("repository_languages", {
  repositoryId: bigintNumber()
    .primaryKey()
    .references(() => repository.id, { onDelete: "cascade" }),
  commit: bytea().notNull(),
  /** Version of the rules by which they were counted: `languageRules`. */
  rules: text().notNull(),
  /** Bytes by the name of the language; a null of JSON where there was too much to count. */
  bytes: jsonb().$type<Readonly<Record<string, number>> | null>().notNull(),
});
