import { and, desc, eq, ne, sql } from "drizzle-orm";
import type { SessionRow } from "../../../auth/identify/identify-session.ts";
import type { Reader, Transaction } from "../../../db/client.ts";
import { session } from "../../../db/schema/credentials.ts";
import { account } from "../../../db/schema/owners.ts";

export async function insertSession(tx: Transaction, row: typeof session.$inferInsert): Promise<void> {
  await tx.insert(session).values(row);
}

/** A user's sessions that are signed in and have not expired, the last used first. */
export async function listSessions(db: Reader, userId: number, idleHours: number): Promise<SessionRow[]> {
  const alive = sql`${session.expiresAt} > now() and ${session.lastUsedAt} > now() - make_interval(hours => ${idleHours}::integer)`;
  return db
    .select()
    .from(session)
    .where(and(eq(session.userId, userId), eq(session.state, "signed-in"), alive))
    .orderBy(desc(session.lastUsedAt), desc(session.id))
    .limit(100);
}

/** Ends one session of a user; of another user's nothing happens. */
export async function deleteSession(tx: Transaction, userId: number, id: number): Promise<void> {
  await tx.delete(session).where(and(eq(session.userId, userId), eq(session.id, id)));
}

/** Ends all of a user's sessions, but for the one that is kept. */
export async function deleteSessions(tx: Transaction, userId: number, keptId: number | null): Promise<void> {
  await tx.delete(session).where(and(eq(session.userId, userId), keptId === null ? undefined : ne(session.id, keptId)));
}

/** Deletes expired sessions of all users. */
export async function deleteExpiredSessions(tx: Transaction): Promise<void> {
  await tx.delete(session).where(sql`${session.expiresAt} <= now()`);
}

export async function noteSignIn(tx: Transaction, userId: number): Promise<void> {
  await tx
    .update(account)
    .set({ lastSignInAt: sql`now()` })
    .where(eq(account.ownerId, userId));
}
