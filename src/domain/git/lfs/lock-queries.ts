import { and, asc, count, eq, gt } from "drizzle-orm";
import type { Reader, Transaction } from "../../../db/client.ts";
import { lfsLock } from "../../../db/schema/lfs.ts";
import { owner } from "../../../db/schema/owners.ts";

/** A file that only one user is to change. */
export interface LfsLock {
  id: number;
  path: string;
  userId: number;
  /** The present name of the account. */
  userName: string;
  lockedAt: Date;
}

const columns = {
  id: lfsLock.id,
  path: lfsLock.path,
  userId: lfsLock.userId,
  userName: owner.name,
  lockedAt: lfsLock.lockedAt,
};

/** Which locks are wanted. */
export interface LockFilter {
  path?: string;
  id?: number;
}

/** A page of a repository's locks, oldest first, after the lock of an id. */
export async function pageOfLocks(
  db: Reader,
  repositoryId: number,
  filter: LockFilter,
  page: { afterId: number; size: number },
): Promise<LfsLock[]> {
  return db
    .select(columns)
    .from(lfsLock)
    .innerJoin(owner, eq(owner.id, lfsLock.userId))
    .where(
      and(
        eq(lfsLock.repositoryId, repositoryId),
        gt(lfsLock.id, page.afterId),
        filter.path === undefined ? undefined : eq(lfsLock.path, filter.path),
        filter.id === undefined ? undefined : eq(lfsLock.id, filter.id),
      ),
    )
    .orderBy(asc(lfsLock.id))
    .limit(page.size);
}

/** The one lock that fits; null when there is none. */
export async function findLock(db: Reader, repositoryId: number, filter: LockFilter): Promise<LfsLock | null> {
  const [lock] = await pageOfLocks(db, repositoryId, filter, { afterId: 0, size: 1 });
  return lock ?? null;
}

/** Locks a path that is not locked. */
export async function insertLock(
  tx: Transaction,
  lock: { repositoryId: number; path: string; userId: number; refName: string },
): Promise<void> {
  await tx.insert(lfsLock).values(lock);
}

/** Answers whether it was there. */
export async function deleteLock(tx: Transaction, repositoryId: number, id: number): Promise<boolean> {
  const rows = await tx
    .delete(lfsLock)
    .where(and(eq(lfsLock.repositoryId, repositoryId), eq(lfsLock.id, id)))
    .returning({ id: lfsLock.id });
  return rows.length > 0;
}

export async function countLocks(db: Reader, repositoryId: number): Promise<number> {
  const [row] = await db.select({ value: count() }).from(lfsLock).where(eq(lfsLock.repositoryId, repositoryId));
  return row?.value ?? 0;
}
