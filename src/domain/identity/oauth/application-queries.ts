import { and, count, desc, eq } from "drizzle-orm";
import type { Reader, Transaction } from "../../../db/client.ts";
import { oauthApplication } from "../../../db/schema/oauth.ts";
import type { ApplicationRow } from "./queries.ts";

export async function insertApplication(
  tx: Transaction,
  row: typeof oauthApplication.$inferInsert,
): Promise<ApplicationRow> {
  const [made] = await tx.insert(oauthApplication).values(row).returning();
  if (made === undefined) {
    throw new Error("An insert returned no row");
  }
  return made;
}

/** Writes the columns of a user's own application; null when they have no such one. */
export async function updateApplication(
  tx: Transaction,
  userId: number,
  id: number,
  columns: Partial<typeof oauthApplication.$inferInsert>,
): Promise<ApplicationRow | null> {
  const [row] = await tx
    .update(oauthApplication)
    .set(columns)
    .where(and(eq(oauthApplication.id, id), eq(oauthApplication.userId, userId)))
    .returning();
  return row ?? null;
}

/** Deletes a user's own application with all that was granted to it. Whether there was one. */
export async function deleteApplicationRow(tx: Transaction, userId: number, id: number): Promise<boolean> {
  const mine = and(eq(oauthApplication.id, id), eq(oauthApplication.userId, userId));
  return (await tx.delete(oauthApplication).where(mine).returning({ id: oauthApplication.id })).length === 1;
}

export async function findOwnApplication(db: Reader, userId: number, id: number): Promise<ApplicationRow | null> {
  const [row] = await db
    .select()
    .from(oauthApplication)
    .where(and(eq(oauthApplication.id, id), eq(oauthApplication.userId, userId)));
  return row ?? null;
}

/** A page of a user's applications, newest first, and how many there are in all. */
export async function listApplications(
  db: Reader,
  userId: number,
  page: { size: number; offset: number },
): Promise<{ rows: ApplicationRow[]; total: number }> {
  const mine = eq(oauthApplication.userId, userId);
  const [total] = await db.select({ value: count() }).from(oauthApplication).where(mine);
  const rows = await db
    .select()
    .from(oauthApplication)
    .where(mine)
    .orderBy(desc(oauthApplication.id))
    .limit(page.size)
    .offset(page.offset);
  return { rows, total: total?.value ?? 0 };
}

/** Whether an application is still there with the secret that it had. */
export async function isApplicationUnchanged(db: Reader, application: ApplicationRow): Promise<boolean> {
  const [row] = await db
    .select({ id: oauthApplication.id })
    .from(oauthApplication)
    .where(
      and(eq(oauthApplication.id, application.id), eq(oauthApplication.clientSecretHash, application.clientSecretHash)),
    );
  return row !== undefined;
}
