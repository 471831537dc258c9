import { and, count, desc, eq, sql } from "drizzle-orm";
import type { Reader } from "../../../db/client.ts";
import { blobReference } from "../../../db/schema/blob.ts";

/**
 * The LFS objects of a repository: only those that were uploaded to it, or that the uploader proved to have. Those of a wiki hang on the id of
 * its store, and are of no other repository either.
 */
export const objectsOf = (repositoryId: number) =>
  and(eq(blobReference.kind, "lfs-object"), eq(blobReference.subjectId, repositoryId));

/** How many objects a repository has, or a wiki by the id of its store, and their bytes. */
export async function sumOfObjects(db: Reader, repositoryId: number): Promise<{ objects: number; bytes: number }> {
  const [row] = await db
    .select({ objects: count(), bytes: sql<number>`coalesce(sum(${blobReference.bytes}), 0)`.mapWith(Number) })
    .from(blobReference)
    .where(objectsOf(repositoryId));
  return row ?? { objects: 0, bytes: 0 };
}

/** The bytes of those objects of a repository or a wiki that guests brought. */
export async function sumOfGuestObjects(db: Reader, repositoryId: number): Promise<number> {
  const [row] = await db
    .select({ bytes: sql<number>`coalesce(sum(${blobReference.bytes}), 0)`.mapWith(Number) })
    .from(blobReference)
    .where(and(objectsOf(repositoryId), blobReference.byGuest));
  return row?.bytes ?? 0;
}

/** A page of the objects of a repository, the largest first, and how many there are. */
export async function listObjectsBySize(
  db: Reader,
  repositoryId: number,
  page: { size: number; offset: number },
): Promise<{ rows: { oid: string; bytes: number; createdAt: Date; byGuest: boolean }[]; total: number }> {
  const [rows, { objects: total }] = await Promise.all([
    db
      .select({
        oid: sql<string>`encode(${blobReference.sha256}, 'hex')`,
        bytes: blobReference.bytes,
        createdAt: blobReference.createdAt,
        byGuest: blobReference.byGuest,
      })
      .from(blobReference)
      .where(objectsOf(repositoryId))
      .orderBy(desc(blobReference.bytes), blobReference.sha256)
      .limit(page.size)
      .offset(page.offset),
    sumOfObjects(db, repositoryId),
  ]);
  return { rows, total };
}
