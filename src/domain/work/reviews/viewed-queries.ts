import { and, eq } from "drizzle-orm";
import type { Reader, Transaction } from "../../../db/client.ts";
import { viewedFile } from "../../../db/schema/pulls.ts";

/** The files of a pull request that somebody has looked at: the blobs, hexadecimal, by their paths. Empty: the file was deleted. */
export async function listViewed(db: Reader, pullId: number, userId: number): Promise<Map<string, string>> {
  const rows = await db
    .select({ path: viewedFile.path, oid: viewedFile.oid })
    .from(viewedFile)
    .where(and(eq(viewedFile.pullId, pullId), eq(viewedFile.userId, userId)));
  return new Map(rows.map(({ path, oid }) => [path, Buffer.from(oid).toString("hex")]));
}

/** Writes that somebody has looked at a file. */
export async function insertViewed(
  tx: Transaction,
  row: { pullId: number; userId: number; path: string; oid: Uint8Array },
): Promise<void> {
  await tx
    .insert(viewedFile)
    .values(row)
    .onConflictDoUpdate({ target: [viewedFile.pullId, viewedFile.userId, viewedFile.path], set: { oid: row.oid } });
}

export async function removeViewed(
  tx: Transaction,
  { pullId, userId, path }: { pullId: number; userId: number; path: string },
): Promise<void> {
  await tx
    .delete(viewedFile)
    .where(and(eq(viewedFile.pullId, pullId), eq(viewedFile.userId, userId), eq(viewedFile.path, path)));
}

/** How many files of a pull request somebody has looked at. */
export async function countViewed(tx: Transaction, pullId: number, userId: number): Promise<number> {
  return tx.$count(viewedFile, and(eq(viewedFile.pullId, pullId), eq(viewedFile.userId, userId)));
}
