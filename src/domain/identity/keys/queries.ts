import { and, count, eq, isNotNull, isNull, notExists, sql, type SQL } from "drizzle-orm";
import type { Reader, Transaction } from "../../../db/client.ts";
import { deployKey, sshKey } from "../../../db/schema/keys.ts";

export type SshKeyRow = typeof sshKey.$inferSelect;

/** A deploy key with the key that it is. */
export interface DeployKeyRow {
  deployKey: typeof deployKey.$inferSelect;
  key: SshKeyRow;
}

interface PageOf<Row> {
  rows: Row[];
  total: number;
}

interface Page {
  size: number;
  offset: number;
}

export async function countUserKeys(db: Reader, userId: number): Promise<number> {
  const [row] = await db.select({ value: count() }).from(sshKey).where(eq(sshKey.userId, userId));
  return row?.value ?? 0;
}

export async function countDeployKeys(db: Reader, repositoryId: number): Promise<number> {
  const [row] = await db.select({ value: count() }).from(deployKey).where(eq(deployKey.repositoryId, repositoryId));
  return row?.value ?? 0;
}

export async function hasUserKeyTitle(db: Reader, userId: number, title: string): Promise<boolean> {
  const rows = await db
    .select({ id: sshKey.id })
    .from(sshKey)
    .where(and(eq(sshKey.userId, userId), eq(sshKey.title, title)));
  return rows.length > 0;
}

export async function hasDeployKeyTitle(db: Reader, repositoryId: number, title: string): Promise<boolean> {
  const rows = await db
    .select({ id: deployKey.id })
    .from(deployKey)
    .where(and(eq(deployKey.repositoryId, repositoryId), eq(deployKey.title, title)));
  return rows.length > 0;
}

/** Gives a user the key; null when somebody has it already. */
export async function insertUserKey(
  tx: Transaction,
  key: { fingerprint: string; content: string; comment: string; userId: number; title: string },
): Promise<SshKeyRow | null> {
  const [row] = await tx.insert(sshKey).values(key).onConflictDoNothing({ target: sshKey.fingerprint }).returning();
  return row ?? null;
}

/** The key as it is stored, made where it is not there yet; nobody can delete it before this transaction ends. */
export async function lockOrInsertKey(
  tx: Transaction,
  key: { fingerprint: string; content: string },
): Promise<SshKeyRow> {
  const [row] = await tx
    .insert(sshKey)
    .values(key)
    .onConflictDoUpdate({ target: sshKey.fingerprint, set: { fingerprint: key.fingerprint } })
    .returning();
  if (row === undefined) {
    throw new Error("An insert returned no row");
  }
  return row;
}

/** Lets the key open the repository; null when it does already. */
export async function insertDeployKey(
  tx: Transaction,
  columns: { keyId: number; repositoryId: number; title: string; comment: string; readOnly: boolean },
): Promise<DeployKeyRow["deployKey"] | null> {
  const [row] = await tx
    .insert(deployKey)
    .values(columns)
    .onConflictDoNothing({ target: [deployKey.repositoryId, deployKey.keyId] })
    .returning();
  return row ?? null;
}

/** A page of a user's keys in the order of their making, and how many there are in all. */
export async function listUserKeys(
  db: Reader,
  userId: number,
  filter: { fingerprint?: string | undefined },
  page: Page,
): Promise<PageOf<SshKeyRow>> {
  const where = and(
    eq(sshKey.userId, userId),
    filter.fingerprint === undefined ? undefined : eq(sshKey.fingerprint, filter.fingerprint),
  );
  const [total] = await db.select({ value: count() }).from(sshKey).where(where);
  const rows = await db.select().from(sshKey).where(where).orderBy(sshKey.id).limit(page.size).offset(page.offset);
  return { rows, total: total?.value ?? 0 };
}

/** A key of a user, or of any user if `userId` is null; not one that only deploy keys use. null when there is none. */
export async function findUserKey(
  db: Reader,
  id: number,
  userId: number | null,
): Promise<(SshKeyRow & { userId: number }) | null> {
  const [row] = await db
    .select()
    .from(sshKey)
    .where(and(eq(sshKey.id, id), userId === null ? isNotNull(sshKey.userId) : eq(sshKey.userId, userId)));
  return row === undefined || row.userId === null ? null : { ...row, userId: row.userId };
}

/** Whether there was one to delete. */
export async function deleteUserKeyRow(tx: Transaction, id: number, userId: number): Promise<boolean> {
  const rows = await tx
    .delete(sshKey)
    .where(and(eq(sshKey.id, id), eq(sshKey.userId, userId)))
    .returning({ id: sshKey.id });
  return rows.length > 0;
}

/** A page of a repository's deploy keys in the order of their making, and how many there are in all. */
export async function listDeployKeys(
  db: Reader,
  repositoryId: number,
  filter: { fingerprint?: string | undefined; keyId?: number | undefined },
  page: Page,
): Promise<PageOf<DeployKeyRow>> {
  const conditions: SQL[] = [eq(deployKey.repositoryId, repositoryId)];
  if (filter.fingerprint !== undefined) {
    conditions.push(eq(sshKey.fingerprint, filter.fingerprint));
  }
  if (filter.keyId !== undefined) {
    conditions.push(eq(deployKey.keyId, filter.keyId));
  }
  const where = and(...conditions);
  const joined = eq(sshKey.id, deployKey.keyId);
  const [total] = await db.select({ value: count() }).from(deployKey).innerJoin(sshKey, joined).where(where);
  const rows = await db
    .select({ deployKey, key: sshKey })
    .from(deployKey)
    .innerJoin(sshKey, joined)
    .where(where)
    .orderBy(deployKey.id)
    .limit(page.size)
    .offset(page.offset);
  return { rows, total: total?.value ?? 0 };
}

export async function findDeployKey(db: Reader, id: number, repositoryId: number): Promise<DeployKeyRow | null> {
  const [row] = await db
    .select({ deployKey, key: sshKey })
    .from(deployKey)
    .innerJoin(sshKey, eq(sshKey.id, deployKey.keyId))
    .where(and(eq(deployKey.id, id), eq(deployKey.repositoryId, repositoryId)));
  return row ?? null;
}

/**
 * Takes the keys of repositories' deploy keys, or of one of them, for this transaction and answers their ids: two
 * repositories that lose the same key at once must not each think that the other still needs it.
 */
export async function lockKeysOfRepositories(
  tx: Transaction,
  repositoryIds: readonly number[],
  deployKeyId?: number,
): Promise<number[]> {
  const these = and(
    sql`${deployKey.repositoryId} = any(${sql.param([...repositoryIds])}::bigint[])`,
    deployKeyId === undefined ? undefined : eq(deployKey.id, deployKeyId),
  );
  const ids = tx.select({ id: deployKey.keyId }).from(deployKey).where(these);
  const rows = await tx
    .select({ id: sshKey.id })
    .from(sshKey)
    .where(sql`${sshKey.id} in ${ids}`)
    .orderBy(sshKey.id)
    .for("update");
  return rows.map(({ id }) => id);
}

/** Whether there was one to delete. */
export async function deleteDeployKeyRow(tx: Transaction, id: number, repositoryId: number): Promise<boolean> {
  const rows = await tx
    .delete(deployKey)
    .where(and(eq(deployKey.id, id), eq(deployKey.repositoryId, repositoryId)))
    .returning({ id: deployKey.id });
  return rows.length > 0;
}

/** Deletes those of the locked keys that neither a user nor a repository has any more. */
export async function deleteUnusedKeys(tx: Transaction, ids: readonly number[]): Promise<void> {
  if (ids.length > 0) {
    const used = tx.select({ id: deployKey.id }).from(deployKey).where(eq(deployKey.keyId, sshKey.id));
    await tx
      .delete(sshKey)
      .where(and(sql`${sshKey.id} = any(${sql.param([...ids])}::bigint[])`, isNull(sshKey.userId), notExists(used)));
  }
}
