import { and, count, desc, eq, sql, type SQL } from "drizzle-orm";
import { unitVisibleSql, type ViewerSql } from "../../auth/access-sql.ts";
import type { OwnerRow } from "../../auth/subject.ts";
import { viewerIn, viewerOf, type Viewer } from "../../auth/viewer-of.ts";
import type { Reader, Transaction } from "../../db/client.ts";
import { owner, team, teamMember } from "../../db/schema/owners.ts";
import { preparedByShape } from "../../db/prepared-by-shape.ts";
import {
  packageFile,
  packageVersion,
  registryPackage,
  type PackageAbout,
  type PackageType,
} from "../../db/schema/packages.ts";
import { repository } from "../../db/schema/repositories.ts";
import { namedRepository, type NamedRepository } from "../spine/events/names.ts";
import type { LastVersion } from "../spine/events/packages.ts";
import type { PackageName } from "./types.ts";

export type PackageRow = typeof registryPackage.$inferSelect;
export type VersionRow = typeof packageVersion.$inferSelect;
export type FileRow = typeof packageFile.$inferSelect;
export type FileColumns = Omit<typeof packageFile.$inferInsert, "id" | "versionId" | "ownerId" | "lowerName">;

interface Slice {
  size: number;
  offset: number;
}

/** A version with its package. */
export interface FoundVersion {
  readonly package: PackageRow;
  readonly version: VersionRow;
}

/** The filters of a list of versions; empty texts filter nothing. */
export interface VersionFilter {
  readonly type: string | null;
  /** A part of the package's name. */
  readonly name: string;
}

/**
 * A package that is linked to a repository is seen by those who see the repository's packages; one whose private repository is gone by those who
 * manage its owner.
 */
export const linkedIsVisible = (viewer: ViewerSql): SQL =>
  sql`case when ${registryPackage.repositoryId} is not null then exists (select 1 from ${repository} join ${owner} on ${owner.id} = ${repository.ownerId}
      where ${repository.id} = ${registryPackage.repositoryId} and ${unitVisibleSql(viewer, "packages")})
    when ${registryPackage.insidersOnly} then not ${viewer.publicOnly ?? sql`false`} and (${viewer.isAdmin} or ${registryPackage.ownerId} = ${viewer.id} or exists (select 1 from ${team}
      join ${teamMember} on ${teamMember.teamId} = ${team.id} where ${team.organizationId} = ${registryPackage.ownerId} and ${team.mode} = 4 and ${teamMember.userId} = ${viewer.id}))
    else true end`;

/** A page of an owner's versions that the viewer may see, the newest first. */
export async function listVersions(
  db: Reader,
  viewer: Viewer,
  ownerId: number,
  { type, name }: VersionFilter,
  { size, offset }: Slice,
): Promise<{ rows: FoundVersion[]; total: number }> {
  const where = and(
    eq(packageVersion.ownerId, ownerId),
    type === null ? undefined : sql`${registryPackage.type} = ${type}`,
    name === "" ? undefined : sql`strpos(${registryPackage.lowerName}, ${name.toLowerCase()}) > 0`,
    linkedIsVisible(viewerOf(viewer)),
  );
  const joined = eq(registryPackage.id, packageVersion.packageId);
  const [rows, [counted]] = await Promise.all([
    db
      .select({ package: registryPackage, version: packageVersion })
      .from(packageVersion)
      .innerJoin(registryPackage, joined)
      .where(where)
      .orderBy(desc(packageVersion.id))
      .limit(size)
      .offset(offset),
    db.select({ value: count() }).from(packageVersion).innerJoin(registryPackage, joined).where(where),
  ]);
  return { rows, total: counted?.value ?? 0 };
}

/** The package of a name, if the viewer may see it. */
export async function findPackage(
  db: Reader,
  viewer: Viewer,
  ownerId: number,
  type: PackageType,
  name: string,
): Promise<PackageRow | null> {
  const [row] = await db
    .select()
    .from(registryPackage)
    .where(and(isNamed(ownerId, type, name), linkedIsVisible(viewerOf(viewer))));
  return row ?? null;
}

const isNamed = (ownerId: number, type: PackageType, name: string) =>
  and(
    eq(registryPackage.ownerId, ownerId),
    eq(registryPackage.type, type),
    eq(registryPackage.lowerName, name.toLowerCase()),
  );

/** The version of a name, if the viewer may see its package. */
export async function findVersion(
  db: Reader,
  viewer: Viewer,
  ownerId: number,
  { type, name, version }: PackageName,
): Promise<FoundVersion | null> {
  const [row] = await db
    .select({ package: registryPackage, version: packageVersion })
    .from(registryPackage)
    .innerJoin(packageVersion, eq(packageVersion.packageId, registryPackage.id))
    .where(
      and(
        isNamed(ownerId, type, name),
        eq(packageVersion.lowerVersion, version.toLowerCase()),
        linkedIsVisible(viewerOf(viewer)),
      ),
    );
  return row ?? null;
}

/** The files of a version by name. A format bounds how many there are. */
export async function listFiles(db: Reader, versionId: number): Promise<FileRow[]> {
  return db
    .select()
    .from(packageFile)
    .where(eq(packageFile.versionId, versionId))
    .orderBy(packageFile.lowerName, packageFile.place);
}

export async function findFile(
  db: Reader,
  versionId: number,
  { name, place = "" }: { name: string; place?: string },
): Promise<FileRow | null> {
  const [row] = await db
    .select()
    .from(packageFile)
    .where(
      and(
        eq(packageFile.versionId, versionId),
        eq(packageFile.lowerName, name.toLowerCase()),
        eq(packageFile.place, place),
      ),
    );
  return row ?? null;
}

/** The owners of these ids, such as those who published versions. */
export async function findOwnersOf(db: Reader, ids: readonly number[]): Promise<Map<number, OwnerRow>> {
  if (ids.length === 0) {
    return new Map();
  }
  const rows = await db
    .select()
    .from(owner)
    .where(sql`${owner.id} = any(${sql.param([...ids])}::bigint[])`);
  return new Map(rows.map((row) => [row.id, row]));
}

/** The package of a name, made where there is none, and locked until the transaction ends: versions of one package come in turn. */
export async function takePackage(
  tx: Transaction,
  ownerId: number,
  type: PackageType,
  name: string,
): Promise<PackageRow> {
  const [row] = await tx
    .insert(registryPackage)
    .values({ ownerId, type, name, lowerName: name.toLowerCase() })
    .onConflictDoUpdate({
      target: [registryPackage.ownerId, registryPackage.type, registryPackage.lowerName],
      set: { name: sql`${registryPackage.name}` },
    })
    .returning();
  if (row === undefined) {
    throw new Error("An insert returned no row");
  }
  return row;
}

/** The version of a package, made where there is none. `isNew`: it was made. The package is locked. */
export async function takeVersion(
  tx: Transaction,
  { id: packageId, ownerId }: PackageRow,
  { version, creatorId, about }: { version: string; creatorId: number | null; about: PackageAbout | undefined },
): Promise<VersionRow & { isNew: boolean }> {
  const lowerVersion = version.toLowerCase();
  const said = about === undefined ? {} : { about };
  const [made] = await tx
    .insert(packageVersion)
    .values({ packageId, ownerId, version, lowerVersion, creatorId, ...said })
    .onConflictDoNothing()
    .returning();
  if (made !== undefined) {
    return { ...made, isNew: true };
  }
  const of = and(eq(packageVersion.packageId, packageId), eq(packageVersion.lowerVersion, lowerVersion));
  const [row] =
    about === undefined
      ? await tx.select().from(packageVersion).where(of)
      : await tx.update(packageVersion).set(said).where(of).returning();
  if (row === undefined) {
    throw new Error("A version of a locked package was gone");
  }
  return { ...row, isNew: false };
}

/** Returns null where the version has a file of the name in this place. */
export async function insertFile(
  tx: Transaction,
  { id: versionId, ownerId }: VersionRow,
  columns: FileColumns,
): Promise<FileRow | null> {
  const [row] = await tx
    .insert(packageFile)
    .values({ ...columns, versionId, ownerId, lowerName: columns.name.toLowerCase() })
    .onConflictDoNothing()
    .returning();
  return row ?? null;
}

/** Locks a package until the transaction ends; null when it is gone. */
export async function lockPackage(tx: Transaction, id: number): Promise<PackageRow | null> {
  const [row] = await tx.select().from(registryPackage).where(eq(registryPackage.id, id)).for("no key update");
  return row ?? null;
}

/** Deletes a version, and its package with the last one. The package is locked. Returns false where there was none. */
export async function deleteVersionRow(tx: Transaction, packageId: number, versionId: number): Promise<boolean> {
  const rows = await tx
    .delete(packageVersion)
    .where(and(eq(packageVersion.id, versionId), eq(packageVersion.packageId, packageId)))
    .returning({ id: packageVersion.id });
  await tx
    .delete(registryPackage)
    .where(
      and(
        eq(registryPackage.id, packageId),
        sql`not exists (select 1 from ${packageVersion} where ${packageVersion.packageId} = ${registryPackage.id})`,
      ),
    );
  return rows.length > 0;
}

/** Deletes a file. Returns how many the version still has; null where there was no such file. */
export async function deleteFileRow(tx: Transaction, versionId: number, fileId: number): Promise<number | null> {
  const rows = await tx
    .delete(packageFile)
    .where(and(eq(packageFile.id, fileId), eq(packageFile.versionId, versionId)))
    .returning({ id: packageFile.id });
  if (rows.length === 0) {
    return null;
  }
  const [left] = await tx.select({ value: count() }).from(packageFile).where(eq(packageFile.versionId, versionId));
  return left?.value ?? 0;
}

export function lastVersion({ id, creatorId, createdAt }: VersionRow): LastVersion {
  return { id, creatorId, createdAt: createdAt.toISOString() };
}

const linkedTo = preparedByShape((db: Reader) =>
  db
    .select({
      name: registryPackage.name,
      type: registryPackage.type,
      total: sql<number>`count(*) over ()`.mapWith(Number),
    })
    .from(registryPackage)
    .where(eq(registryPackage.repositoryId, sql.placeholder("repositoryId")))
    .orderBy(registryPackage.lowerName, registryPackage.id)
    .limit(sql.placeholder("limit"))
    .prepare("packages_of_repository"),
);

/** The first packages that are linked to a repository, by name, and how many there are: for those who may read its packages. */
export async function listLinkedPackages(
  db: Reader,
  repositoryId: number,
  limit: number,
): Promise<{ rows: { name: string; type: PackageType }[]; total: number }> {
  const rows = await linkedTo(db, null).execute({ repositoryId, limit });
  return { rows, total: rows[0]?.total ?? 0 };
}

/** How the repository is called that a package is linked to; null where it is linked to none. */
export async function findLinked(
  db: Reader,
  { repositoryId }: Pick<PackageRow, "repositoryId">,
): Promise<NamedRepository | null> {
  const [row] =
    repositoryId === null
      ? []
      : await db
          .select({ repository, owner })
          .from(repository)
          .innerJoin(owner, eq(owner.id, repository.ownerId))
          .where(eq(repository.id, repositoryId));
  return row === undefined ? null : namedRepository(row);
}

/** Links a package to a repository, or to none. */
export async function linkPackageRow(tx: Transaction, id: number, repositoryId: number | null): Promise<void> {
  await tx.update(registryPackage).set({ repositoryId, insidersOnly: false }).where(eq(registryPackage.id, id));
}

/** Whether an owner has packages. */
export async function hasPackages(db: Reader, ownerId: number): Promise<boolean> {
  const [row] = await db
    .select({ id: registryPackage.id })
    .from(registryPackage)
    .where(eq(registryPackage.ownerId, ownerId))
    .limit(1);
  return row !== undefined;
}

/** Deletes all packages of owners with their files: they are deleted themselves. */
export async function deletePackagesOf(tx: Transaction, ownerIds: readonly number[]): Promise<void> {
  await tx.delete(registryPackage).where(sql`${registryPackage.ownerId} = any(${sql.param([...ownerIds])}::bigint[])`);
}

/** Whether the viewer's credential shows the package of a version to those who manage its owner; undefined: it shows all. */
function isShown(viewer: ViewerSql, ownerId: number): SQL | undefined {
  const { publicOnly, restrictedTokenId } = viewer;
  return publicOnly === undefined && restrictedTokenId === undefined
    ? undefined
    : and(
        linkedIsVisible(viewer),
        publicOnly &&
          sql`exists (select 1 from ${owner} where ${owner.id} = ${ownerId} and ${owner.visibility} = 'public')`,
        // A package that is linked to none is no part of a repository.
        restrictedTokenId && sql`${registryPackage.repositoryId} is not null`,
      );
}

/** A page of an owner's versions that the credential shows, with the bytes of their files, the newest first. */
export async function listUsedPackages(
  db: Reader,
  viewer: Viewer,
  ownerId: number,
  { size, offset }: Slice,
): Promise<{ rows: { type: string; name: string; version: string; bytes: number }[]; total: number }> {
  const bytes = sql<number>`(select coalesce(sum(${packageFile.bytes}), 0) from ${packageFile} where ${packageFile.versionId} = ${packageVersion.id})`;
  const where = and(eq(packageVersion.ownerId, ownerId), isShown(viewerIn(viewer, "package"), ownerId));
  const [rows, [counted]] = await Promise.all([
    db
      .select({
        type: registryPackage.type,
        name: registryPackage.name,
        version: packageVersion.version,
        bytes: bytes.mapWith(Number),
      })
      .from(packageVersion)
      .innerJoin(registryPackage, eq(registryPackage.id, packageVersion.packageId))
      .where(where)
      .orderBy(desc(packageVersion.id))
      .limit(size)
      .offset(offset),
    db
      .select({ value: count() })
      .from(packageVersion)
      .innerJoin(registryPackage, eq(registryPackage.id, packageVersion.packageId))
      .where(where),
  ]);
  return { rows, total: counted?.value ?? 0 };
}
