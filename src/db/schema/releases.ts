import { sql } from "drizzle-orm";
import { boolean, check, index, integer, pgTable, primaryKey, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { bigintNumber, bytea, bytewiseText, id, instant } from "./columns.ts";
import { comment } from "./comments.ts";
import { issue } from "./issues.ts";
import { account } from "./owners.ts";
import { repository } from "./repositories.ts";

/** A release of a tag. A draft's tag need not exist, and only those who may write releases see it. */
export const release = pgTable(
  "release",
  {
    id: id().primaryKey(),
    repositoryId: bigintNumber()
      .notNull()
      .references(() => repository.id, { onDelete: "cascade" }),
    /** Without refs/tags/. */
    tagName: bytewiseText().notNull(),
    title: text().notNull(),
    body: text().notNull(),
    /** The branch, tag or commit at which the tag is created where it does not exist. */
    target: text().notNull(),
    draft: boolean().notNull(),
    prerelease: boolean().notNull(),
    hideArchiveLinks: boolean().notNull(),
    authorId: bigintNumber().references(() => account.ownerId, { onDelete: "set null" }),
    createdAt: instant().notNull().defaultNow(),
    /** When it was published; for a draft, when it was created. Lists have this order. */
    publishedAt: instant().notNull().defaultNow(),
  },
  (table) => [
    uniqueIndex("release_tag").on(table.repositoryId, table.tagName),
    index("release_published").on(table.repositoryId, table.publishedAt, table.id),
    index("release_latest")
      .on(table.repositoryId, table.publishedAt, table.id)
      .where(sql`not ${table.draft} and not ${table.prerelease}`),
    index("release_author").on(table.authorId),
    // Counts a repository's releases without their rows.
    index("release_stage").on(table.repositoryId, table.draft, table.prerelease),
    index("release_names")
      .using("gin", sql`text_grams(release_names(${table.tagName}, ${table.title}))`)
      .with({ fastupdate: false }),
    index("release_words").using("gin", sql`release_words(${table.body})`),
  ],
);

/**
 * A file that somebody attached to something, or the address of one elsewhere. It belongs to one thing: a release, an
 * issue or a comment; whatever else takes files gets a column and a place in the check. Triggers write its row of `blob_reference`.
 */
export const attachment = pgTable(
  "attachment",
  {
    id: id().primaryKey(),
    uuid: uuid().notNull().defaultRandom(),
    repositoryId: bigintNumber()
      .notNull()
      .references(() => repository.id, { onDelete: "cascade" }),
    uploaderId: bigintNumber().references(() => account.ownerId, { onDelete: "set null" }),
    /** Without this and without an issue it waits for the text that shows it, and only its uploader sees it. */
    releaseId: bigintNumber().references(() => release.id, { onDelete: "cascade" }),
    /** Also that of the comment, where it belongs to one. */
    issueId: bigintNumber().references(() => issue.id, { onDelete: "cascade" }),
    commentId: bigintNumber().references(() => comment.id, { onDelete: "cascade" }),
    name: text().notNull(),
    /** null: the file is elsewhere, at `externalUrl`. */
    sha256: bytea(),
    externalUrl: text(),
    bytes: bigintNumber().notNull(),
    /** Its uploader might not write to the repository then. */
    byGuest: boolean().notNull().default(false),
    /** The media type that its first bytes tell. */
    contentType: text().notNull(),
    /** Pixels of an image whose header could be read. */
    width: integer(),
    height: integer(),
    downloads: bigintNumber().notNull().default(0),
    createdAt: instant().notNull().defaultNow(),
  },
  (table) => [
    uniqueIndex("attachment_uuid").on(table.uuid),
    index("attachment_repository").on(table.repositoryId),
    index("attachment_release").on(table.releaseId, table.id),
    index("attachment_uploader").on(table.uploaderId),
    index("attachment_issue")
      .on(table.issueId, table.id)
      .where(sql`${table.issueId} is not null`),
    index("attachment_comment")
      .on(table.commentId, table.id)
      .where(sql`${table.commentId} is not null`),
    check(
      "attachment_belongs",
      sql`num_nonnulls(${table.releaseId}, ${table.issueId}) < 2 and (${table.commentId} is null or ${table.issueId} is not null)`,
    ),
    check("attachment_content", sql`num_nonnulls(${table.sha256}, ${table.externalUrl}) = 1`),
  ],
);

/** How often the archives of a tag were downloaded, as long as there is the tag. */
export const archiveDownload = pgTable(
  "archive_download",
  {
    repositoryId: bigintNumber()
      .notNull()
      .references(() => repository.id, { onDelete: "cascade" }),
    /** Without refs/tags/. */
    tagName: bytewiseText().notNull(),
    zip: bigintNumber().notNull().default(0),
    tarGz: bigintNumber().notNull().default(0),
  },
  (table) => [primaryKey({ columns: [table.repositoryId, table.tagName] })],
);
