import { sql } from "drizzle-orm";
import { boolean, check, index, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { bigintNumber, bytea, instant } from "./columns.ts";

/** A file of the blob store, named by the SHA-256 of its content. */
export const blob = pgTable(
  "blob",
  {
    sha256: bytea().primaryKey(),
    bytes: bigintNumber().notNull(),
    createdAt: instant().notNull().defaultNow(),
    /** When the collector found that nothing refers to it any more; an hour later the file and the row go. */
    retiredAt: instant(),
  },
  (table) => [
    index("blob_retired")
      .on(table.retiredAt)
      .where(sql`${table.retiredAt} is not null`),
  ],
);

export const blobReferrers = [
  "lfs-object",
  "avatar",
  "repository-avatar",
  "release-attachment",
  "issue-attachment",
  "artifact",
  "package",
  "package-index",
] as const;
export type BlobReferrer = (typeof blobReferrers)[number];

/**
 * All references to blobs, of every kind: the collector reads this table alone, and an owner's bytes are a sum over it.
 * `subjectId` is the repository of an LFS object (minus its id: its wiki) or of a picture, the owner of an owner's picture, and the id of an artifact, a file of a package or an
 * attachment, whose kind says what it is attached to. Triggers on `repository` delete and move the rows of LFS objects with
 * it; those of attachments follow the table `attachment`, those of artifacts `artifact`, and of
 * packages `package_file` and `package_index_file`.
 */
export const blobReference = pgTable(
  "blob_reference",
  {
    sha256: bytea()
      .notNull()
      .references(() => blob.sha256, { onDelete: "restrict" }),
    kind: text({ enum: blobReferrers }).notNull(),
    /** The owner whom these bytes count for. */
    ownerId: bigintNumber().notNull(),
    subjectId: bigintNumber().notNull(),
    /** The blob's bytes: it never changes. */
    bytes: bigintNumber().notNull(),
    /** Somebody brought it who does not write to the repository: it counts in a share of its own (`owner_usage`). */
    byGuest: boolean().notNull().default(false),
    createdAt: instant().notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.kind, table.subjectId, table.sha256] }),
    index("blob_reference_sha256").on(table.sha256),
    index("blob_reference_guests")
      .on(table.kind, table.subjectId)
      .where(sql`${table.byGuest}`),
    index("blob_reference_owner").on(table.ownerId, table.kind),
    // The files of an owner, the largest first.
    index("blob_reference_attachments")
      .on(table.ownerId, table.bytes.desc(), table.subjectId)
      .where(sql`${table.kind} in ('release-attachment', 'issue-attachment')`),
    check(
      "blob_reference_kind",
      sql`${table.kind} in ('lfs-object', 'avatar', 'repository-avatar', 'release-attachment', 'issue-attachment', 'artifact', 'package', 'package-index')`,
    ),
  ],
);
