import { and, asc, count, desc, eq, type SQL } from "drizzle-orm";
import type { Reader, Transaction } from "../../../db/client.ts";
import { artifact } from "../../../db/schema/artifacts.ts";

export type ArtifactRow = typeof artifact.$inferSelect;

/**
 * Selects the artifacts of a repository, of one run if `runNumber` is not null, and of one name if `name` is not null.
 */
export interface ArtifactFilter {
  repositoryId: number;
  runNumber: number | null;
  name: string | null;
}

function matching({ repositoryId, runNumber, name }: ArtifactFilter): SQL | undefined {
  return and(
    eq(artifact.repositoryId, repositoryId),
    runNumber === null ? undefined : eq(artifact.runNumber, runNumber),
    name === null ? undefined : eq(artifact.name, name),
  );
}

/** A page of artifacts: of one run by name, else the newest first. */
export async function listArtifacts(
  db: Reader,
  filter: ArtifactFilter,
  { size, offset }: { size: number; offset: number },
): Promise<{ rows: ArtifactRow[]; total: number }> {
  const [rows, [counted]] = await Promise.all([
    db
      .select()
      .from(artifact)
      .where(matching(filter))
      .orderBy(filter.runNumber === null ? desc(artifact.id) : asc(artifact.name))
      .limit(size)
      .offset(offset),
    db.select({ value: count() }).from(artifact).where(matching(filter)),
  ]);
  return { rows, total: counted?.value ?? 0 };
}

export async function findArtifact(db: Reader, repositoryId: number, id: number): Promise<ArtifactRow | null> {
  const [row] = await db
    .select()
    .from(artifact)
    .where(and(eq(artifact.id, id), eq(artifact.repositoryId, repositoryId)));
  return row ?? null;
}

/** Returns the new row; null where the run has one of this name. */
export async function insertArtifact(
  tx: Transaction,
  columns: Omit<typeof artifact.$inferInsert, "id" | "createdAt">,
): Promise<ArtifactRow | null> {
  const [row] = await tx.insert(artifact).values(columns).onConflictDoNothing().returning();
  return row ?? null;
}

export async function deleteArtifactRow(tx: Transaction, id: number): Promise<void> {
  await tx.delete(artifact).where(eq(artifact.id, id));
}
