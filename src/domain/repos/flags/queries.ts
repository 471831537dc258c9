import { and, asc, eq, inArray } from "drizzle-orm";
import type { Reader, Transaction } from "../../../db/client.ts";
import { repositoryFlag } from "../../../db/schema/repositories.ts";

/** The flags of a repository, by name. */
export async function listFlags(db: Reader, repositoryId: number): Promise<string[]> {
  const rows = await db
    .select({ name: repositoryFlag.name })
    .from(repositoryFlag)
    .where(eq(repositoryFlag.repositoryId, repositoryId))
    .orderBy(asc(repositoryFlag.name));
  return rows.map(({ name }) => name);
}

export async function insertFlags(tx: Transaction, repositoryId: number, names: readonly string[]): Promise<void> {
  if (names.length > 0) {
    await tx.insert(repositoryFlag).values(names.map((name) => ({ repositoryId, name })));
  }
}

export async function deleteFlags(tx: Transaction, repositoryId: number, names: readonly string[]): Promise<void> {
  if (names.length > 0) {
    await tx
      .delete(repositoryFlag)
      .where(and(eq(repositoryFlag.repositoryId, repositoryId), inArray(repositoryFlag.name, [...names])));
  }
}
