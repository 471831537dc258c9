import { and, asc, count, eq, getTableColumns } from "drizzle-orm";
import { ownerShownSql, ownerVisibleSql } from "../../../auth/access-sql.ts";
import type { OwnerRow } from "../../../auth/subject.ts";
import { viewerOf, type Viewer } from "../../../auth/viewer-of.ts";
import type { Reader, Transaction } from "../../../db/client.ts";
import { owner } from "../../../db/schema/owners.ts";
import { collaborator } from "../../../db/schema/repositories.ts";

/**
 * A page by name of those who were given access to a repository one by one, and how many they are. `everybody`: also
 * whom the viewer would not know of otherwise, as far as the credential shows them.
 */
export async function listCollaborators(
  db: Reader,
  repositoryId: number,
  viewer: Viewer & { everybody: boolean },
  page: { size: number; offset: number },
): Promise<{ rows: OwnerRow[]; total: number }> {
  const where = and(
    eq(collaborator.repositoryId, repositoryId),
    viewer.everybody ? ownerShownSql(viewerOf(viewer)) : ownerVisibleSql(viewerOf(viewer)),
  );
  const [counted, rows] = await Promise.all([
    db.select({ value: count() }).from(collaborator).innerJoin(owner, eq(owner.id, collaborator.userId)).where(where),
    db
      .select(getTableColumns(owner))
      .from(collaborator)
      .innerJoin(owner, eq(owner.id, collaborator.userId))
      .where(where)
      .orderBy(asc(owner.lowerName))
      .limit(page.size)
      .offset(page.offset),
  ]);
  return { rows, total: counted[0]?.value ?? 0 };
}

export async function isCollaborator(db: Reader, repositoryId: number, userId: number): Promise<boolean> {
  const rows = await db
    .select({ id: collaborator.userId })
    .from(collaborator)
    .where(and(eq(collaborator.repositoryId, repositoryId), eq(collaborator.userId, userId)));
  return rows.length > 0;
}

/** The access that a collaborator was given, whose row is locked; null for somebody who is none. */
export async function lockCollaborator(tx: Transaction, repositoryId: number, userId: number): Promise<number | null> {
  const [row] = await tx
    .select({ mode: collaborator.mode })
    .from(collaborator)
    .where(and(eq(collaborator.repositoryId, repositoryId), eq(collaborator.userId, userId)))
    .for("update");
  return row?.mode ?? null;
}

/** Gives a user this access, in place of what they were given before. */
export async function upsertCollaborator(
  tx: Transaction,
  repositoryId: number,
  userId: number,
  mode: number,
): Promise<void> {
  await tx
    .insert(collaborator)
    .values({ repositoryId, userId, mode })
    .onConflictDoUpdate({
      target: [collaborator.repositoryId, collaborator.userId],
      set: { mode, forTransfer: false },
    });
}

/** False when the user was none. */
export async function deleteCollaborator(tx: Transaction, repositoryId: number, userId: number): Promise<boolean> {
  const rows = await tx
    .delete(collaborator)
    .where(and(eq(collaborator.repositoryId, repositoryId), eq(collaborator.userId, userId)))
    .returning({ id: collaborator.userId });
  return rows.length > 0;
}
