import { and, count, desc, eq, sql } from "drizzle-orm";
import type { Reader, Transaction } from "../../db/client.ts";
import { accessToken } from "../../db/schema/owners.ts";

export type AccessTokenRow = typeof accessToken.$inferSelect;

export async function insertAccessToken(tx: Transaction, token: typeof accessToken.$inferInsert): Promise<AccessTokenRow> {
  const [row] = await tx.insert(accessToken).values(token).returning();
  if (row === undefined) {
    throw new Error("An insert returned no row");
  }
  return row;
}

/** A page of a user's tokens, newest first, and how many there are in all. */
export async function listAccessTokens(db: Reader, userId: number, page: { size: number; offset: number }): Promise<{ rows: AccessTokenRow[]; total: number }> {
  const mine = eq(accessToken.userId, userId);
  const [total] = await db.select({ value: count() }).from(accessToken).where(mine);
  const rows = await db.select().from(accessToken).where(mine).orderBy(desc(accessToken.id)).limit(page.size).offset(page.offset);
  return { rows, total: total?.value ?? 0 };
}

/**
 * The user's tokens that have this id or name, at most two: names may be digits. The one with the id comes first.
 */
export async function findTokensByIdOrName(db: Reader, userId: number, idOrName: string): Promise<{ id: number; name: string }[]> {
  const id = /^\d{1,15}$/.test(idOrName) ? Number(idOrName) : null;
  return db
    .select({ id: accessToken.id, name: accessToken.name })
    .from(accessToken)
    .where(and(eq(accessToken.userId, userId), sql`(${accessToken.id} = ${id}::bigint or ${accessToken.name} = ${idOrName})`))
    .orderBy(sql`(${accessToken.id} = ${id}::bigint) desc nulls last`);
}

export async function removeAccessToken(tx: Transaction, id: number): Promise<void> {
  await tx.delete(accessToken).where(eq(accessToken.id, id));
}
