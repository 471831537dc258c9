import { and, asc, count, eq, isNotNull, lte, sql } from "drizzle-orm";
import type { Reader, Transaction } from "../../db/client.ts";
import { pullMirror, pushMirror } from "../../db/schema/mirrors.ts";

export type PullMirrorRow = typeof pullMirror.$inferSelect;
export type PushMirrorRow = typeof pushMirror.$inferSelect;

/** What became of a try. */
export type TriedColumns = Partial<
  Pick<PullMirrorRow, "nextAt" | "triedAt" | "syncedAt" | "lastError" | "failures" | "hostKey">
>;

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

export async function updatePullMirror(
  tx: Transaction,
  repositoryId: number,
  columns: TriedColumns & Partial<Pick<PullMirrorRow, "intervalSeconds" | "prune">>,
): Promise<void> {
  await tx.update(pullMirror).set(columns).where(eq(pullMirror.repositoryId, repositoryId));
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

export async function updatePushMirror(
  tx: Transaction,
  id: number,
  columns: TriedColumns & Partial<Pick<PushMirrorRow, "sealedCredentials">>,
): Promise<void> {
  await tx.update(pushMirror).set(columns).where(eq(pushMirror.id, id));
}

export async function deletePushMirrorRow(tx: Transaction, id: number): Promise<void> {
  await tx.delete(pushMirror).where(eq(pushMirror.id, id));
}

/** Ids of a repository's push mirrors; `onCommit`: only of those that follow each push. */
export async function idsOfPushMirrors(
  tx: Transaction,
  repositoryId: number,
  { onCommit }: { onCommit: boolean },
): Promise<number[]> {
  const rows = await tx
    .select({ id: pushMirror.id })
    .from(pushMirror)
    .where(and(eq(pushMirror.repositoryId, repositoryId), onCommit ? eq(pushMirror.syncOnCommit, true) : undefined));
  return rows.map(({ id }) => id);
}

/** Mirrors that are due: ids of repositories, and of push mirrors. At most so many of each. */
export async function findDueMirrors(db: Reader, now: Date, most: number): Promise<{ pull: number[]; push: number[] }> {
  const [pull, push] = await Promise.all([
    db
      .select({ id: pullMirror.repositoryId })
      .from(pullMirror)
      .where(and(isNotNull(pullMirror.nextAt), lte(pullMirror.nextAt, now)))
      .orderBy(asc(pullMirror.nextAt))
      .limit(most),
    db
      .select({ id: pushMirror.id })
      .from(pushMirror)
      .where(and(isNotNull(pushMirror.nextAt), lte(pushMirror.nextAt, now)))
      .orderBy(asc(pushMirror.nextAt))
      .limit(most),
  ]);
  return { pull: pull.map(({ id }) => id), push: push.map(({ id }) => id) };
}
