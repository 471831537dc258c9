import { and, asc, count, eq, inArray, sql } from "drizzle-orm";
import type { Reader, Transaction } from "../../../db/client.ts";
import { emailAddress, mailToken, type mailTokenPurposes } from "../../../db/schema/credentials.ts";
import { owner } from "../../../db/schema/owners.ts";

export type EmailRow = typeof emailAddress.$inferSelect;
export type MailTokenPurpose = (typeof mailTokenPurposes)[number];

/** A user's addresses, oldest first. */
export async function listUserEmails(db: Reader, userId: number): Promise<EmailRow[]> {
  return db.select().from(emailAddress).where(eq(emailAddress.userId, userId)).orderBy(asc(emailAddress.id));
}

/** Which of these somebody has shown to be theirs, in lower case. */
export async function findVerified(db: Reader, emails: readonly string[]): Promise<Set<string>> {
  const lower = emails.map((email) => email.toLowerCase());
  const rows = await db
    .select({ email: emailAddress.lowerEmail })
    .from(emailAddress)
    .where(and(inArray(emailAddress.lowerEmail, lower), eq(emailAddress.verified, true)));
  return new Set(rows.map(({ email }) => email));
}

/** Finds the users who verified these addresses. Addresses are in lower case. */
export async function findVerifiedOwners(
  db: Reader,
  addresses: readonly string[],
): Promise<{ address: string; userId: number }[]> {
  return db
    .select({ address: emailAddress.lowerEmail, userId: emailAddress.userId })
    .from(emailAddress)
    .where(and(inArray(emailAddress.lowerEmail, [...addresses]), eq(emailAddress.verified, true)));
}

export async function insertEmails(
  tx: Transaction,
  userId: number,
  emails: readonly string[],
  verified: boolean,
): Promise<EmailRow[]> {
  const rows = emails.map((email) => ({ userId, email, lowerEmail: email.toLowerCase(), verified }));
  return tx.insert(emailAddress).values(rows).returning();
}

export async function removeEmails(tx: Transaction, ids: readonly number[]): Promise<void> {
  await tx.delete(emailAddress).where(inArray(emailAddress.id, [...ids]));
}

export async function findEmail(db: Reader, id: number): Promise<EmailRow | null> {
  const [row] = await db.select().from(emailAddress).where(eq(emailAddress.id, id));
  return row ?? null;
}

/** Breaks the index email_address_verified where somebody else has shown the address to be theirs. */
export async function markVerified(tx: Transaction, id: number): Promise<void> {
  await tx.update(emailAddress).set({ verified: true }).where(eq(emailAddress.id, id));
}

/** Makes one of a user's addresses the primary one, as it stands in the owner's row too. */
export async function markPrimary(tx: Transaction, { id, userId, email }: EmailRow): Promise<void> {
  await tx
    .update(emailAddress)
    .set({ primary: false })
    .where(and(eq(emailAddress.userId, userId), eq(emailAddress.primary, true)));
  await tx.update(emailAddress).set({ primary: true }).where(eq(emailAddress.id, id));
  await tx
    .update(owner)
    .set({ email, updatedAt: sql`now()` })
    .where(eq(owner.id, userId));
}

/** An address with the name of its user. */
export interface NamedEmail {
  row: EmailRow;
  username: string;
}

/** A page of everybody's addresses, in the order of the alphabet; with `text` only those that have it in them or in the user's name. */
export async function listEmails(
  db: Reader,
  text: string,
  page: { size: number; offset: number },
): Promise<{ rows: NamedEmail[]; total: number }> {
  const pattern = `%${text.toLowerCase().replace(/[\\%_]/g, (character) => `\\${character}`)}%`;
  const matches =
    text === "" ? undefined : sql`(${emailAddress.lowerEmail} like ${pattern} or ${owner.lowerName} like ${pattern})`;
  const [counted, rows] = await Promise.all([
    db.select({ value: count() }).from(emailAddress).innerJoin(owner, eq(owner.id, emailAddress.userId)).where(matches),
    db
      .select({ row: emailAddress, username: owner.name })
      .from(emailAddress)
      .innerJoin(owner, eq(owner.id, emailAddress.userId))
      .where(matches)
      .orderBy(asc(emailAddress.lowerEmail), asc(emailAddress.id))
      .limit(page.size)
      .offset(page.offset),
  ]);
  return { rows, total: counted[0]?.value ?? 0 };
}

export async function insertMailToken(tx: Transaction, row: typeof mailToken.$inferInsert): Promise<void> {
  await tx.insert(mailToken).values(row);
}

/** Takes a token that has not expired out of the table; null when there is none. */
export async function takeMailToken(
  tx: Transaction,
  hash: Uint8Array,
  purpose: MailTokenPurpose,
): Promise<{ userId: number; emailId: number | null } | null> {
  const [row] = await tx
    .delete(mailToken)
    .where(and(eq(mailToken.hash, hash), eq(mailToken.purpose, purpose), sql`${mailToken.expiresAt} > now()`))
    .returning({ userId: mailToken.userId, emailId: mailToken.emailId });
  return row ?? null;
}

/** Takes back a token whose mail was not sent. */
export async function deleteMailToken(tx: Transaction, hash: Uint8Array): Promise<void> {
  await tx.delete(mailToken).where(eq(mailToken.hash, hash));
}

/**
 * Makes the links to a new password worthless that a user was sent: with the password or an address that they were sent
 * to, somebody may have lost them to others.
 */
export async function deleteResetTokens(tx: Transaction, userId: number): Promise<void> {
  await tx.delete(mailToken).where(and(eq(mailToken.userId, userId), eq(mailToken.purpose, "reset-password")));
}

/** Removes what has expired, and answers how many they were. */
export async function deleteExpiredMailTokens(tx: Transaction): Promise<number> {
  const rows = await tx
    .delete(mailToken)
    .where(sql`${mailToken.expiresAt} <= now()`)
    .returning({ userId: mailToken.userId });
  return rows.length;
}
