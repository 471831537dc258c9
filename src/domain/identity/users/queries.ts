import { and, eq, getTableColumns, inArray, sql } from "drizzle-orm";
import type { Reader, Transaction } from "../../../db/client.ts";
import { emailAddress } from "../../../db/schema/credentials.ts";
import { account, owner } from "../../../db/schema/owners.ts";
import { DeletedMeanwhile } from "../../spine/errors.ts";

/** The columns that only an account has, without the password. */
export type AccountColumns = Omit<typeof account.$inferInsert, "ownerId" | "passwordHash">;

/** The rows of a user; `owner` and `account` have the values that differ from the defaults. */
export interface UserRows {
  name: string;
  email: string;
  fullName: string;
  /** null: no password signs in. */
  passwordHash: string | null;
  isAdmin: boolean;
  mustChangePassword: boolean;
  owner?: Partial<Pick<typeof owner.$inferInsert, "visibility" | "createdAt">>;
  account?: Partial<AccountColumns>;
}

/** Inserts a user with the address as the primary and verified one, and answers the id. */
export async function insertUser(tx: Transaction, user: UserRows): Promise<number> {
  const { passwordHash, isAdmin, mustChangePassword, name, email, fullName } = user;
  const [row] = await tx
    .insert(owner)
    .values({ kind: "user", name, lowerName: name.toLowerCase(), email, fullName, ...user.owner })
    .returning({ id: owner.id });
  if (row === undefined) {
    throw new Error("An insert returned no row");
  }
  await tx.insert(account).values({ ownerId: row.id, passwordHash, isAdmin, mustChangePassword, ...user.account });
  await tx
    .insert(emailAddress)
    .values({ userId: row.id, email, lowerEmail: email.toLowerCase(), verified: true, primary: true });
  return row.id;
}

/** Whether there is any user at all. */
export async function hasUsers(db: Reader): Promise<boolean> {
  const [row] = await db.select({ id: account.ownerId }).from(account).limit(1);
  return row !== undefined;
}

/** A user's id and whether they administer the site, by name in any case; null when there is none. */
export async function findUserByName(
  db: Reader,
  name: string,
): Promise<{ id: number; name: string; isAdmin: boolean } | null> {
  const [row] = await db
    .select({ id: owner.id, name: owner.name, isAdmin: account.isAdmin })
    .from(owner)
    .innerJoin(account, eq(account.ownerId, owner.id))
    .where(eq(owner.lowerName, name.toLowerCase()));
  return row ?? null;
}

/** The name and primary address of a user who may sign in; null for nobody. */
export async function findMailRecipient(db: Reader, userId: number): Promise<{ name: string; email: string } | null> {
  const [row] = await db
    .select({ name: owner.name, email: owner.email })
    .from(owner)
    .innerJoin(account, eq(account.ownerId, owner.id))
    .where(and(eq(owner.id, userId), eq(account.active, true), eq(account.suspended, false)));
  return row ?? null;
}

/** Returns the name of a user. Throws DeletedMeanwhile. */
export async function getNamedUser(db: Reader, id: number): Promise<{ id: number; name: string }> {
  const [row] = await db.select({ id: owner.id, name: owner.name }).from(owner).where(eq(owner.id, id));
  if (row === undefined) {
    throw new DeletedMeanwhile("user", String(id));
  }
  return row;
}

export async function findAccount(
  db: Reader,
  ownerId: number,
): Promise<Omit<typeof account.$inferSelect, "passwordHash" | "ownerId"> | null> {
  const { passwordHash: _hash, ownerId: _owner, ...columns } = getTableColumns(account);
  const [row] = await db.select(columns).from(account).where(eq(account.ownerId, ownerId));
  return row ?? null;
}

/** The accounts of users by their ids. */
export async function findAccounts(
  db: Reader,
  ownerIds: readonly number[],
): Promise<Map<number, Omit<typeof account.$inferSelect, "passwordHash">>> {
  if (ownerIds.length === 0) {
    return new Map();
  }
  const { passwordHash: _hash, ...columns } = getTableColumns(account);
  const rows = await db
    .select(columns)
    .from(account)
    .where(inArray(account.ownerId, [...ownerIds]));
  return new Map(rows.map((row) => [row.ownerId, row]));
}

/** Writes a new password. All sessions end with the old one. */
export async function updatePasswordHash(
  tx: Transaction,
  userId: number,
  passwordHash: string,
  mustChangePassword: boolean,
): Promise<void> {
  await tx.update(account).set({ passwordHash, mustChangePassword }).where(eq(account.ownerId, userId));
  await tx
    .update(owner)
    .set({ updatedAt: sql`now()` })
    .where(eq(owner.id, userId));
}

/** Writes the columns given. A new password ends all sessions. */
export async function updateAccount(
  tx: Transaction,
  userId: number,
  columns: Partial<AccountColumns> & { passwordHash?: string },
): Promise<void> {
  await tx.update(account).set(columns).where(eq(account.ownerId, userId));
}

/** The site administrators who can sign in. Until the transaction ends nobody else makes them fewer. */
export async function lockAdministrators(tx: Transaction): Promise<number[]> {
  const rows = await tx
    .select({ id: account.ownerId })
    .from(account)
    .where(and(eq(account.isAdmin, true), eq(account.active, true), eq(account.suspended, false)))
    .orderBy(account.ownerId)
    .for("no key update");
  return rows.map(({ id }) => id);
}
