import { eq } from "drizzle-orm";
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
