import { index, jsonb, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import { bigintNumber, bytea, bytewiseText, id, instant } from "./columns.ts";
import { account, owner } from "./owners.ts";
import { repository } from "./repositories.ts";

/** The formats whose registries there are. */
export const packageTypes = ["generic"] as const;
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
    createdAt: instant().notNull().defaultNow(),
  },
  (table) => [
    uniqueIndex("package_name").on(table.ownerId, table.type, table.lowerName),
    index("package_repository").on(table.repositoryId),
  ],
);

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
    /** What the format reads out of its files. */
    metadata: jsonb().$type<Readonly<Record<string, unknown>>>().notNull().default({}),
    createdAt: instant().notNull().defaultNow(),
  },
  (table) => [
    uniqueIndex("package_version_name").on(table.packageId, table.lowerVersion),
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
