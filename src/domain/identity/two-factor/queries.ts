import { count, eq } from "drizzle-orm";
import type { Reader, Transaction } from "../../../db/client.ts";
import { recoveryCode, twoFactor } from "../../../db/schema/credentials.ts";

/** Finds the state of a user's second factor; null if there is none, or only one that was begun. */
export async function findTwoFactor(
  db: Reader,
  userId: number,
): Promise<{ createdAt: Date; recoveryCodesLeft: number } | null> {
  const [row] = await db
    .select({ confirmed: twoFactor.confirmed, createdAt: twoFactor.createdAt, left: count(recoveryCode.hash) })
    .from(twoFactor)
    .leftJoin(recoveryCode, eq(recoveryCode.userId, twoFactor.userId))
    .where(eq(twoFactor.userId, userId))
    .groupBy(twoFactor.userId);
  return row?.confirmed === true ? { createdAt: row.createdAt, recoveryCodesLeft: row.left } : null;
}

/** Begins anew with this secret, unless a second factor is in use: false then. */
export async function putTwoFactor(
  tx: Transaction,
  userId: number,
  sealedSecret: Uint8Array,
  confirmed: boolean,
): Promise<boolean> {
  const fresh = { sealedSecret, confirmed, lastStep: 0, createdAt: new Date() };
  const rows = await tx
    .insert(twoFactor)
    .values({ userId, ...fresh })
    .onConflictDoUpdate({ target: twoFactor.userId, set: fresh, setWhere: eq(twoFactor.confirmed, false) })
    .returning({ userId: twoFactor.userId });
  return rows.length === 1;
}

/** The state of the second factor, locked until the transaction ends; null for none. */
export async function lockTwoFactor(tx: Transaction, userId: number): Promise<{ confirmed: boolean } | null> {
  const [row] = await tx
    .select({ confirmed: twoFactor.confirmed })
    .from(twoFactor)
    .where(eq(twoFactor.userId, userId))
    .for("update");
  return row ?? null;
}

export async function setConfirmed(tx: Transaction, userId: number): Promise<void> {
  await tx.update(twoFactor).set({ confirmed: true, createdAt: new Date() }).where(eq(twoFactor.userId, userId));
}

export async function replaceRecoveryCodes(
  tx: Transaction,
  userId: number,
  hashes: readonly Uint8Array[],
): Promise<void> {
  await tx.delete(recoveryCode).where(eq(recoveryCode.userId, userId));
  if (hashes.length > 0) {
    await tx.insert(recoveryCode).values(hashes.map((hash) => ({ userId, hash })));
  }
}

/** Whether there was one. */
export async function deleteTwoFactor(tx: Transaction, userId: number): Promise<boolean> {
  await tx.delete(recoveryCode).where(eq(recoveryCode.userId, userId));
  return (
    (await tx.delete(twoFactor).where(eq(twoFactor.userId, userId)).returning({ userId: twoFactor.userId })).length ===
    1
  );
}
