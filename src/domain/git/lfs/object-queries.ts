import { and, count, eq, sql } from "drizzle-orm";
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
