import { count, eq } from "drizzle-orm";
import type { Reader, Transaction } from "../../db/client.ts";
import { account, owner } from "../../db/schema/owners.ts";
import { repository } from "../../db/schema/repositories.ts";

/** The number that was set for a user; null for organizations. */
export async function findRepositoryLimit(db: Reader, ownerId: number): Promise<number | null> {
  const [row] = await db.select({ limit: account.maxRepositories }).from(account).where(eq(account.ownerId, ownerId));
  return row?.limit ?? null;
}

export async function lockForCounting(tx: Transaction, ownerId: number): Promise<void> {
  await tx.select({ id: owner.id }).from(owner).where(eq(owner.id, ownerId)).for("no key update");
}

export async function countRepositories(db: Reader, ownerId: number): Promise<number> {
  const [row] = await db.select({ value: count() }).from(repository).where(eq(repository.ownerId, ownerId));
  return row?.value ?? 0;
}
