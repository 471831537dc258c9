import { and, eq, inArray, sql } from "drizzle-orm";
import { ownerVisibleSql } from "../../../auth/access-sql.ts";
import type { OwnerRow } from "../../../auth/subject.ts";
import { viewerOf, type Viewer } from "../../../auth/viewer-of.ts";
import type { Database, Reader, Transaction } from "../../../db/client.ts";
import { owner, ownerRedirect } from "../../../db/schema/owners.ts";

/** Any owner, a user or an organization, by name in any case; null when there is none. */
export async function findOwner(db: Reader, name: string): Promise<OwnerRow | null> {
  const [row] = await db.select().from(owner).where(eq(owner.lowerName, name.toLowerCase()));
  return row ?? null;
}

/** Any owner by id; null when there is none. */
export async function findOwnerById(db: Reader, id: number): Promise<OwnerRow | null> {
  const [row] = await db.select().from(owner).where(eq(owner.id, id));
  return row ?? null;
}

/** A user or an organization by name whom the viewer may know of; null for any other. */
export async function findVisibleOwner(db: Reader, viewer: Viewer, name: string): Promise<OwnerRow | null> {
  const [row] = await db
    .select()
    .from(owner)
    .where(and(eq(owner.lowerName, name.toLowerCase()), ownerVisibleSql(viewerOf(viewer))));
  return row ?? null;
}

/** The names, as they are spelled, of those users and organizations among these that the viewer may know of. */
export async function findVisibleNames(db: Reader, viewer: Viewer, names: readonly string[]): Promise<string[]> {
  const lowerNames = [...new Set(names.map((name) => name.toLowerCase()))];
  const rows = await db
    .select({ name: owner.name })
    .from(owner)
    .where(and(inArray(owner.lowerName, lowerNames), ownerVisibleSql(viewerOf(viewer))));
  return rows.map(({ name }) => name);
}

/** Takes an owner's row for this transaction and reads it; null when it is gone. Nothing can be made for the owner meanwhile. */
export async function lockOwner(tx: Transaction, id: number): Promise<OwnerRow | null> {
  const [row] = await tx.select().from(owner).where(eq(owner.id, id)).for("update");
  return row ?? null;
}

/** Keeps other transactions from changing these owners, in the order of their ids; they may still be referred to. */
export async function lockOwners(tx: Transaction, ids: readonly number[]): Promise<void> {
  if (ids.length > 0) {
    await tx.execute(
      sql`select from ${owner} where ${owner.id} = any(${sql.param([...ids])}::bigint[]) order by ${owner.id} for no key update`,
    );
  }
}

/** Writes the columns given and answers the whole row; null when the owner is gone. */
export async function updateOwner(
  tx: Transaction,
  id: number,
  columns: Partial<Omit<typeof owner.$inferInsert, "id" | "kind">>,
): Promise<OwnerRow | null> {
  const [row] = await tx
    .update(owner)
    .set({ ...columns, updatedAt: sql`now()` })
    .where(eq(owner.id, id))
    .returning();
  return row ?? null;
}

/** Lets the old name lead to the owner. */
export async function insertOwnerRedirect(tx: Transaction, oldName: string, ownerId: number): Promise<void> {
  await tx
    .insert(ownerRedirect)
    .values({ lowerName: oldName.toLowerCase(), ownerId })
    .onConflictDoUpdate({ target: ownerRedirect.lowerName, set: { ownerId } });
}

/** A name that is used again leads nowhere else. */
export async function deleteOwnerRedirect(tx: Transaction, name: string): Promise<void> {
  await tx.delete(ownerRedirect).where(eq(ownerRedirect.lowerName, name.toLowerCase()));
}

/** Answers the name that the owner of this former name has now; null when it is nobody's former name. Whether the caller may know of them is not asked here. */
export type FindRenamedOwner = (formerName: string) => Promise<string | null>;

export function prepareFindRenamedOwner(db: Database): FindRenamedOwner {
  const query = db
    .select({ name: owner.name })
    .from(ownerRedirect)
    .innerJoin(owner, eq(owner.id, ownerRedirect.ownerId))
    .where(eq(ownerRedirect.lowerName, sql.placeholder("name")))
    .prepare("find_renamed_owner");
  return async (formerName) => {
    const [row] = await query.execute({ name: formerName.toLowerCase() });
    return row?.name ?? null;
  };
}

/** Whether the owner's uploaded picture is this one: those are served to everybody who has their address. */
export async function isAvatar(db: Reader, sha256: string): Promise<boolean> {
  const rows = await db
    .select({ id: owner.id })
    .from(owner)
    .where(eq(owner.avatarSha256, Buffer.from(sha256, "hex")))
    .limit(1);
  return rows.length > 0;
}
