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

/** Deletes the user's token of that id, or of that name when none has the id. Answers whether there was one. */
export async function deleteAccessToken(tx: Transaction, userId: number, idOrName: string): Promise<boolean> {
  const id = /^\d{1,15}$/.test(idOrName) ? Number(idOrName) : null;
  const [target] = await tx
    .select({ id: accessToken.id })
    .from(accessToken)
    .where(and(eq(accessToken.userId, userId), sql`(${accessToken.id} = ${id}::bigint or ${accessToken.name} = ${idOrName})`))
    .orderBy(sql`(${accessToken.id} = ${id}::bigint) desc nulls last`)
    .limit(1);
  if (target === undefined) {
    return false;
  }
  await tx.delete(accessToken).where(eq(accessToken.id, target.id));
  return true;
}
