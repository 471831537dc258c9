import { and, asc, count, eq, or } from "drizzle-orm";
import type { Reader, Transaction } from "../../../db/client.ts";
import { emailAddress, gpgKey } from "../../../db/schema/credentials.ts";

export type GpgKeyRow = typeof gpgKey.$inferSelect;

/** Inserts a key; null when its fingerprint is somebody's already. */
export async function insertGpgKey(tx: Transaction, columns: typeof gpgKey.$inferInsert): Promise<GpgKeyRow | null> {
  const [row] = await tx.insert(gpgKey).values(columns).onConflictDoNothing({ target: gpgKey.fingerprint }).returning();
  return row ?? null;
}

export async function countGpgKeys(db: Reader, userId: number): Promise<number> {
  const [row] = await db.select({ value: count() }).from(gpgKey).where(eq(gpgKey.userId, userId));
  return row?.value ?? 0;
}

/** A page of a user's keys, the oldest first, and how many there are. */
export async function listGpgKeys(
  db: Reader,
  userId: number,
  page: { size: number; offset: number },
): Promise<{ rows: GpgKeyRow[]; total: number }> {
  const [total, rows] = await Promise.all([
    countGpgKeys(db, userId),
    db
      .select()
      .from(gpgKey)
      .where(eq(gpgKey.userId, userId))
      .orderBy(asc(gpgKey.id))
      .limit(page.size)
      .offset(page.offset),
  ]);
  return { rows, total };
}

/** Finds a key of the user; null if it is not theirs or does not exist. */
export async function findGpgKey(db: Reader, userId: number, id: number): Promise<GpgKeyRow | null> {
  const [row] = await db
    .select()
    .from(gpgKey)
    .where(and(eq(gpgKey.id, id), eq(gpgKey.userId, userId)));
  return row ?? null;
}

/** One of a user's keys by its key id or fingerprint in upper case; null when there is none. */
export async function findGpgKeyByName(db: Reader, userId: number, name: string): Promise<GpgKeyRow | null> {
  const [row] = await db
    .select()
    .from(gpgKey)
    .where(and(eq(gpgKey.userId, userId), or(eq(gpgKey.keyId, name), eq(gpgKey.fingerprint, name))));
  return row ?? null;
}

/** Deletes one of a user's keys; false when it is not there. */
export async function removeGpgKey(tx: Transaction, userId: number, id: number): Promise<boolean> {
  const removed = await tx
    .delete(gpgKey)
    .where(and(eq(gpgKey.id, id), eq(gpgKey.userId, userId)))
    .returning({ id: gpgKey.id });
  return removed.length > 0;
}

export async function markGpgKeyVerified(tx: Transaction, id: number): Promise<GpgKeyRow | null> {
  const [row] = await tx.update(gpgKey).set({ verified: true }).where(eq(gpgKey.id, id)).returning();
  return row ?? null;
}

/** The verified addresses of a user, lower case. */
export async function findVerifiedEmails(db: Reader, userId: number): Promise<Set<string>> {
  const rows = await db
    .select({ email: emailAddress.lowerEmail })
    .from(emailAddress)
    .where(and(eq(emailAddress.userId, userId), eq(emailAddress.verified, true)));
  return new Set(rows.map(({ email }) => email));
}
