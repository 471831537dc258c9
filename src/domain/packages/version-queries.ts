import { and, count, desc, eq, sql } from "drizzle-orm";
import { viewerOf, type Viewer } from "../../auth/viewer-of.ts";
import type { Reader } from "../../db/client.ts";
import { packageFile, packageVersion, registryPackage } from "../../db/schema/packages.ts";
import { linkedIsVisible, type FileRow, type FoundVersion, type VersionFilter, type VersionRow } from "./queries.ts";

interface Slice {
  size: number;
  offset: number;
}

const isNewest = sql`not exists (select 1 from ${packageVersion} newer where newer.package_id = ${registryPackage.id} and newer.id > ${packageVersion.id})`;

/**
 * A page of the packages of an owner, or of those that are linked to a repository, which the viewer may see, each with its newest version: the one
 * that was published last comes first. `hasMore`: others follow.
 */
export async function listPackages(
  db: Reader,
  viewer: Viewer,
  of: { readonly ownerId: number } | { readonly repositoryId: number },
  { type, name }: VersionFilter,
  { size, offset }: Slice,
): Promise<{ rows: FoundVersion[]; hasMore: boolean }> {
  const rows = await db
    .select({ package: registryPackage, version: packageVersion })
    .from(packageVersion)
    .innerJoin(registryPackage, eq(registryPackage.id, packageVersion.packageId))
    .where(
      and(
        "ownerId" in of ? eq(packageVersion.ownerId, of.ownerId) : eq(registryPackage.repositoryId, of.repositoryId),
        type === null ? undefined : sql`${registryPackage.type} = ${type}`,
        name === "" ? undefined : sql`strpos(${registryPackage.lowerName}, ${name.toLowerCase()}) > 0`,
        isNewest,
        linkedIsVisible(viewerOf(viewer)),
      ),
    )
    .orderBy(desc(packageVersion.id))
    .limit(size + 1)
    .offset(offset);
  return { rows: rows.slice(0, size), hasMore: rows.length > size };
}

/** A page of the versions of a package, the newest first. */
export async function listVersionsOf(
  db: Reader,
  packageId: number,
  { size, offset }: Slice,
): Promise<{ rows: VersionRow[]; total: number }> {
  const of = eq(packageVersion.packageId, packageId);
  const [rows, [counted]] = await Promise.all([
    db.select().from(packageVersion).where(of).orderBy(desc(packageVersion.id)).limit(size).offset(offset),
    db.select({ value: count() }).from(packageVersion).where(of),
  ]);
  return { rows, total: counted?.value ?? 0 };
}

/** The versions of a package, as they were written when they came, in no order. */
export async function listVersionNames(db: Reader, packageId: number): Promise<string[]> {
  const rows = await db
    .select({ version: packageVersion.version })
    .from(packageVersion)
    .where(eq(packageVersion.packageId, packageId));
  return rows.map(({ version }) => version);
}

/** The name of the package that a version is of. */
export async function findNameOfVersion(db: Reader, versionId: number): Promise<string | null> {
  const [row] = await db
    .select({ name: registryPackage.name })
    .from(packageVersion)
    .innerJoin(registryPackage, eq(registryPackage.id, packageVersion.packageId))
    .where(eq(packageVersion.id, versionId));
  return row?.name ?? null;
}

/** A page of the files of a version by name, how many it has, and how many bytes they are together. */
export async function listFilesOf(
  db: Reader,
  versionId: number,
  { size, offset }: Slice,
): Promise<{ rows: FileRow[]; total: number; bytes: number }> {
  const of = eq(packageFile.versionId, versionId);
  const bytes = sql<number>`coalesce(sum(${packageFile.bytes}), 0)`.mapWith(Number);
  const [rows, [sums]] = await Promise.all([
    db
      .select()
      .from(packageFile)
      .where(of)
      .orderBy(packageFile.lowerName, packageFile.place)
      .limit(size)
      .offset(offset),
    db.select({ total: count(), bytes }).from(packageFile).where(of),
  ]);
  return { rows, total: sums?.total ?? 0, bytes: sums?.bytes ?? 0 };
}

/** A file of a version by its id. */
export async function findPackageFile(db: Reader, versionId: number, id: number): Promise<FileRow | null> {
  const [row] = await db
    .select()
    .from(packageFile)
    .where(and(eq(packageFile.id, id), eq(packageFile.versionId, versionId)));
  return row ?? null;
}
