import { and, asc, count, eq, sql } from "drizzle-orm";
import type { Reader, Transaction } from "../../../db/client.ts";
import { pullMirror, pushMirror } from "../../../db/schema/mirrors.ts";
import { repository } from "../../../db/schema/repositories.ts";

export type PullMirrorRow = typeof pullMirror.$inferSelect;
export type PushMirrorRow = typeof pushMirror.$inferSelect;

/** The result of a try. */
export type TriedColumns = Partial<Pick<PullMirrorRow, "triedAt" | "syncedAt" | "lastError" | "failures" | "hostKey">>;

export async function insertPullMirror(tx: Transaction, columns: typeof pullMirror.$inferInsert): Promise<void> {
  await tx.insert(pullMirror).values(columns);
}

export async function findPullMirror(db: Reader, repositoryId: number): Promise<PullMirrorRow | null> {
  const [row] = await db.select().from(pullMirror).where(eq(pullMirror.repositoryId, repositoryId));
  return row ?? null;
}

/** The pull mirrors of repositories, by their ids; no query where there are no ids. */
export async function findPullMirrors(
  db: Reader,
  repositoryIds: readonly number[],
): Promise<Map<number, PullMirrorRow>> {
  const rows =
    repositoryIds.length === 0
      ? []
      : await db
          .select()
          .from(pullMirror)
          .where(sql`${pullMirror.repositoryId} = any(${sql.param([...repositoryIds])}::bigint[])`);
  return new Map(rows.map((row) => [row.repositoryId, row]));
}

/** Returns the changed row; null: the mirror is gone. */
export async function updatePullMirror(
  tx: Transaction,
  repositoryId: number,
  columns: TriedColumns & Partial<Pick<PullMirrorRow, "intervalSeconds" | "prune">>,
): Promise<PullMirrorRow | null> {
  const of = eq(pullMirror.repositoryId, repositoryId);
  const [row] = await tx.update(pullMirror).set(columns).where(of).returning();
  return row ?? null;
}

/** Whether there was one. */
export async function deletePullMirror(tx: Transaction, repositoryId: number): Promise<boolean> {
  const of = eq(pullMirror.repositoryId, repositoryId);
  return (await tx.delete(pullMirror).where(of).returning({ id: pullMirror.repositoryId })).length > 0;
}

export async function insertPushMirror(
  tx: Transaction,
  columns: Omit<typeof pushMirror.$inferInsert, "id">,
): Promise<PushMirrorRow> {
  const [row] = await tx.insert(pushMirror).values(columns).returning();
  if (row === undefined) {
    throw new Error("An insert returned no row");
  }
  return row;
}

/** A page of push mirrors, the oldest first. */
export async function listPushMirrors(
  db: Reader,
  repositoryId: number,
  { size, offset }: { size: number; offset: number },
): Promise<{ rows: PushMirrorRow[]; total: number }> {
  const of = eq(pushMirror.repositoryId, repositoryId);
  const [rows, [counted]] = await Promise.all([
    db.select().from(pushMirror).where(of).orderBy(asc(pushMirror.id)).limit(size).offset(offset),
    db.select({ value: count() }).from(pushMirror).where(of),
  ]);
  return { rows, total: counted?.value ?? 0 };
}

export async function findPushMirror(db: Reader, repositoryId: number, name: string): Promise<PushMirrorRow | null> {
  const [row] = await db
    .select()
    .from(pushMirror)
    .where(and(eq(pushMirror.repositoryId, repositoryId), eq(pushMirror.name, name)));
  return row ?? null;
}

export async function findPushMirrorById(db: Reader, id: number): Promise<PushMirrorRow | null> {
  const [row] = await db.select().from(pushMirror).where(eq(pushMirror.id, id));
  return row ?? null;
}

/** Returns the changed row; null: the mirror is gone. */
export async function updatePushMirror(
  tx: Transaction,
  id: number,
  columns: TriedColumns & Partial<Pick<PushMirrorRow, "sealedCredentials">>,
): Promise<PushMirrorRow | null> {
  const [row] = await tx.update(pushMirror).set(columns).where(eq(pushMirror.id, id)).returning();
  return row ?? null;
}

export async function deletePushMirrorRow(tx: Transaction, id: number): Promise<void> {
  await tx.delete(pushMirror).where(eq(pushMirror.id, id));
}

/** A mirror by its id (of a pull mirror, its repository's), and whose it is. */
export interface MirrorRef {
  direction: "pull" | "push";
  id: number;
  ownerId: number;
}

/** A repository's push mirrors; `onCommit`: only those that follow each push. */
export async function refsOfPushMirrors(
  tx: Transaction,
  repositoryId: number,
  { onCommit }: { onCommit: boolean },
): Promise<MirrorRef[]> {
  return tx
    .select({ direction: sql<"push">`'push'`, id: pushMirror.id, ownerId: repository.ownerId })
    .from(pushMirror)
    .innerJoin(repository, eq(repository.id, pushMirror.repositoryId))
    .where(and(eq(pushMirror.repositoryId, repositoryId), onCommit ? eq(pushMirror.syncOnCommit, true) : undefined));
}
