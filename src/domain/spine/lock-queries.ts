import { eq, sql } from "drizzle-orm";
import type { RepositoryRow } from "../../auth/subject.ts";
import type { Transaction } from "../../db/client.ts";
import { account } from "../../db/schema/owners.ts";
import { repository } from "../../db/schema/repositories.ts";

/** Locks the account row until the transaction ends: nobody else adds to what the user has. Returns false if the user is gone. */
export async function lockAccount(tx: Transaction, userId: number): Promise<boolean> {
  const rows = await tx
    .select({ id: account.ownerId })
    .from(account)
    .where(eq(account.ownerId, userId))
    .for("no key update");
  return rows.length > 0;
}

/** Locks the repository row until the transaction ends, without changing it. Returns false if the repository is gone. */
export async function lockRepository(tx: Transaction, repositoryId: number): Promise<boolean> {
  const rows = await tx
    .select({ id: repository.id })
    .from(repository)
    .where(eq(repository.id, repositoryId))
    .for("no key update");
  return rows.length > 0;
}

/** Locks the repository row until the transaction ends, to change it, and reads it. Returns null if the repository is gone. */
export async function lockRepositoryRow(tx: Transaction, repositoryId: number): Promise<RepositoryRow | null> {
  const [row] = await tx.select().from(repository).where(eq(repository.id, repositoryId)).for("update");
  return row ?? null;
}

/** Any fixed number serves, as long as nothing else in the database locks it. */
const installationKey = 7_484_811_480;

/** Locks the installation until the transaction ends: one process at a time makes what belongs to it, such as its id and its sealing key. */
export async function lockInstallation(tx: Transaction): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(${installationKey}::bigint)`);
}
