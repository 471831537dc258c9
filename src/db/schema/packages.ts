import { sql } from "drizzle-orm";
import { boolean, date, index, integer, jsonb, pgTable, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import { bigintNumber, bytea, bytewiseText, id, instant } from "./columns.ts";
import { account, owner } from "./owners.ts";
import { repository } from "./repositories.ts";

/** The formats whose registries there are. */
export const packageTypes = ["alpine", "cran", "debian", "generic", "go", "rpm"] as const;
export type PackageType = (typeof packageTypes)[number];

/** A package of a user or an organization, as its registry's clients call it. It is there as long as it has a version. */
export const registryPackage = pgTable(
  "package",
  {
    id: id().primaryKey(),
    ownerId: bigintNumber()
      .notNull()
      .references(() => owner.id, { onDelete: "restrict" }),
    /** Such as "generic": one of packageTypes. */
    type: bytewiseText().$type<PackageType>().notNull(),
    name: text().notNull(),
    /** Names are the same in any case. */
    lowerName: bytewiseText().notNull(),
    /** The repository that it is linked to: it is as private as that one. */
    repositoryId: bigintNumber().references(() => repository.id, { onDelete: "set null" }),
    /** Only those who manage the owner see it: the private repository that it was linked to is gone. A trigger on `repository` sets it. */
    insidersOnly: boolean().notNull().default(false),
    createdAt: instant().notNull().defaultNow(),
  },
  (table) => [
    uniqueIndex("package_name").on(table.ownerId, table.type, table.lowerName),
    index("package_repository").on(table.repositoryId),
  ],
);

/** What a package says of itself, as its format reads it out of a file. Absent: it does not say. */
export interface PackageAbout {
  readonly summary?: string;
  readonly description?: string;
  readonly website?: string;
  readonly license?: string;
  readonly maintainer?: string;
  /** What it needs and relates to, each as the format writes it: `kind` is the format's own word, such as "Depends". */
  readonly relations?: readonly { readonly kind: string; readonly names: readonly string[] }[];
}

export const packageVersion = pgTable(
  "package_version",
  {
    id: id().primaryKey(),
    packageId: bigintNumber()
      .notNull()
      .references(() => registryPackage.id, { onDelete: "cascade" }),
    /** That of the package: versions of an owner are listed by when they came. */
    ownerId: bigintNumber().notNull(),
    version: text().notNull(),
    lowerVersion: bytewiseText().notNull(),
    creatorId: bigintNumber().references(() => account.ownerId, { onDelete: "set null" }),
    /** Of the file that came last. */
    about: jsonb().$type<PackageAbout>().notNull().default({}),
    createdAt: instant().notNull().defaultNow(),
  },
  (table) => [
    uniqueIndex("package_version_name").on(table.packageId, table.lowerVersion),
    index("package_version_newest").on(table.packageId, table.id),
    index("package_version_owner").on(table.ownerId, table.id),
    index("package_version_creator").on(table.creatorId),
  ],
);

/** A file of a version. Triggers write its row of `blob_reference`. */
export const packageFile = pgTable(
  "package_file",
  {
    id: id().primaryKey(),
    versionId: bigintNumber()
      .notNull()
      .references(() => packageVersion.id, { onDelete: "cascade" }),
    ownerId: bigintNumber().notNull(),
    name: text().notNull(),
    lowerName: bytewiseText().notNull(),
    /** Where in its registry it is, such as a distribution: one file of a name in each place. */
    place: bytewiseText().notNull().default(""),
    sha256: bytea().notNull(),
    md5: bytea().notNull(),
    sha1: bytea().notNull(),
    sha512: bytea().notNull(),
    bytes: bigintNumber().notNull(),
    metadata: jsonb().$type<Readonly<Record<string, unknown>>>().notNull().default({}),
    createdAt: instant().notNull().defaultNow(),
  },
  (table) => [uniqueIndex("package_file_name").on(table.versionId, table.lowerName, table.place)],
);

/**
 * What a file adds to a part of an index of its registry: a stanza, worked out once, when the file comes. A trigger counts up what is
 * wanted of the index when stanzas come and go.
 */
export const packageStanza = pgTable(
  "package_stanza",
  {
    fileId: bigintNumber()
      .notNull()
      .references(() => packageFile.id, { onDelete: "cascade" }),
    ownerId: bigintNumber().notNull(),
    type: bytewiseText().$type<PackageType>().notNull(),
    /** The unit that is published, such as a distribution. */
    indexName: bytewiseText().notNull(),
    /** A text in it, such as the packages of one architecture. */
    part: bytewiseText().notNull(),
    /** Stanzas of a part come in this order, and then as their files came. */
    sort: bytewiseText().notNull(),
    content: text().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.fileId, table.indexName, table.part] }),
    index("package_stanza_order").on(table.ownerId, table.type, table.indexName, table.part, table.sort, table.fileId),
  ],
);

/** An index of a registry: all files of a generation come and go as one. */
export const packageIndex = pgTable(
  "package_index",
  {
    id: id().primaryKey(),
    ownerId: bigintNumber()
      .notNull()
      .references(() => owner.id, { onDelete: "cascade" }),
    type: bytewiseText().$type<PackageType>().notNull(),
    name: bytewiseText().notNull(),
    /** How often its stanzas have changed. */
    wanted: bigintNumber().notNull(),
    /** The `wanted` that the files of the generation have. */
    built: bigintNumber().notNull().default(0),
    /** Bytes of its stanzas, which every build reads. */
    bytes: bigintNumber().notNull().default(0),
    generation: bigintNumber().notNull().default(0),
    builtAt: instant(),
  },
  (table) => [
    uniqueIndex("package_index_name").on(table.ownerId, table.type, table.name),
    index("package_index_unbuilt")
      .on(table.id)
      .where(sql`${table.built} < ${table.wanted}`),
  ],
);

/** For whom a file of an index is: packages linked to private repositories are named only to those who manage the owner. */
export const indexAudiences = ["everyone", "insiders"] as const;
export type IndexAudience = (typeof indexAudiences)[number];

/** A file of a generation of an index. Triggers write its row of `blob_reference`. */
export const packageIndexFile = pgTable(
  "package_index_file",
  {
    id: id().primaryKey(),
    indexId: bigintNumber()
      .notNull()
      .references(() => packageIndex.id, { onDelete: "cascade" }),
    ownerId: bigintNumber().notNull(),
    generation: bigintNumber().notNull(),
    audience: text({ enum: indexAudiences }).notNull(),
    path: bytewiseText().notNull(),
    sha256: bytea().notNull(),
    md5: bytea().notNull(),
    sha1: bytea().notNull(),
    sha512: bytea().notNull(),
    bytes: bigintNumber().notNull(),
    createdAt: instant().notNull().defaultNow(),
  },
  (table) => [
    uniqueIndex("package_index_file_path").on(table.indexId, table.audience, table.path, table.generation),
    index("package_index_file_sha256").on(table.indexId, table.sha256),
  ],
);

/** The pair of keys that signs what an owner's registry of a format serves. Made when it is first needed. */
export const packageKey = pgTable(
  "package_key",
  {
    ownerId: bigintNumber()
      .notNull()
      .references(() => owner.id, { onDelete: "cascade" }),
    type: bytewiseText().$type<PackageType>().notNull(),
    publicKey: text().notNull(),
    /** Sealed with the server's sealing key. */
    sealedSecret: bytea().notNull(),
    createdAt: instant().notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.ownerId, table.type] })],
);

/** How often the files of a version were downloaded; none: never. */
export const packageDownload = pgTable("package_download", {
  versionId: bigintNumber()
    .primaryKey()
    .references(() => packageVersion.id, { onDelete: "cascade" }),
  count: bigintNumber().notNull(),
});

/** How often the files of a version were downloaded on a day (UTC). */
export const packageDownloadDay = pgTable(
  "package_download_day",
  {
    versionId: bigintNumber()
      .notNull()
      .references(() => packageVersion.id, { onDelete: "cascade" }),
    day: date({ mode: "string" }).notNull(),
    count: bigintNumber().notNull(),
  },
  (table) => [primaryKey({ columns: [table.versionId, table.day] }), index("package_download_day_day").on(table.day)],
);

/** Which versions of an owner's packages of a type are deleted by themselves. */
export const packageCleanupRule = pgTable(
  "package_cleanup_rule",
  {
    id: id().primaryKey(),
    ownerId: bigintNumber()
      .notNull()
      .references(() => owner.id, { onDelete: "cascade" }),
    type: bytewiseText().$type<PackageType>().notNull(),
    enabled: boolean().notNull(),
    keepCount: integer().notNull(),
    keepPattern: text().notNull(),
    removeDays: integer().notNull(),
    removePattern: text().notNull(),
    matchFullName: boolean().notNull(),
    createdAt: instant().notNull().defaultNow(),
    updatedAt: instant().notNull().defaultNow(),
    /** When it was last followed; null: never since it was set. */
    followedAt: instant(),
  },
  (table) => [uniqueIndex("package_cleanup_rule_owner").on(table.ownerId, table.type)],
);
