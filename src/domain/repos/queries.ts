import { and, asc, count, eq, sql } from "drizzle-orm";
import type { OwnerRow, RepositoryRow } from "../../auth/subject.ts";
import type { Database, Reader, Transaction } from "../../db/client.ts";
import { accessModes, owner, ownerRedirect } from "../../db/schema/owners.ts";
import { collaborator, ref, repository, repositoryRedirect } from "../../db/schema/repositories.ts";
import { star } from "../../db/schema/social.ts";

/** The columns that a new or changed repository is given by its use case. */
export type RepositoryColumns = Omit<typeof repository.$inferInsert, "id" | "lowerName" | "generation" | "gitBytes" | "createdAt" | "updatedAt">;

export async function insertRepository(tx: Transaction, columns: RepositoryColumns): Promise<RepositoryRow> {
  const [row] = await tx
    .insert(repository)
    .values({ ...columns, lowerName: columns.name.toLowerCase() })
    .returning();
  if (row === undefined) {
    throw new Error("An insert returned no row");
  }
  return row;
}

/** Writes the columns given and answers the whole row; null when the repository is gone. */
export async function updateRepository(tx: Transaction, id: number, columns: Partial<RepositoryColumns>): Promise<RepositoryRow | null> {
  const lowerName = columns.name?.toLowerCase();
  const [row] = await tx
    .update(repository)
    .set({ ...columns, ...(lowerName === undefined ? {} : { lowerName }), updatedAt: sql`now()` })
    .where(eq(repository.id, id))
    .returning();
  return row ?? null;
}

/** Takes the repository's row for this transaction and reads it; null when it is gone. */
export async function lockRepositoryRow(tx: Transaction, id: number): Promise<RepositoryRow | null> {
  const [row] = await tx.select().from(repository).where(eq(repository.id, id)).for("update");
  return row ?? null;
}

/** Takes the rows of repositories for this transaction, in the order of their ids; answers the ids of those that are there. */
export async function lockRepositoryRows(tx: Transaction, ids: readonly number[]): Promise<number[]> {
  const rows = await tx.select({ id: repository.id }).from(repository).where(sql`${repository.id} = any(${sql.param([...ids])}::bigint[])`).orderBy(asc(repository.id)).for("update");
  return rows.map((row) => row.id);
}

/** The users who have given one of these repositories a star. */
export async function stargazersOf(db: Reader, ids: readonly number[]): Promise<number[]> {
  const rows = await db.selectDistinct({ id: star.userId }).from(star).where(sql`${star.repositoryId} = any(${sql.param([...ids])}::bigint[])`);
  return rows.map((row) => row.id);
}

/** Deletes the row, and with it all that refers to it: refs, links to packs, collaborators, redirects. */
export async function deleteRepositoryRow(tx: Transaction, id: number): Promise<void> {
  await tx.delete(repository).where(eq(repository.id, id));
}

/** Makes a user a collaborator with administrator's access. */
export async function insertAdminCollaborator(tx: Transaction, repositoryId: number, userId: number): Promise<void> {
  await tx.insert(collaborator).values({ repositoryId, userId, mode: accessModes.admin }).onConflictDoNothing();
}

/** Whether the branch of this short name exists. */
export async function hasBranch(db: Reader, repositoryId: number, name: string): Promise<boolean> {
  const [row] = await db
    .select({ value: count() })
    .from(ref)
    .where(and(eq(ref.repositoryId, repositoryId), eq(ref.name, `refs/heads/${name}`)));
  return (row?.value ?? 0) > 0;
}

/** Any owner, a user or an organization, by name in any case; null when there is none. */
export async function findOwner(db: Reader, name: string): Promise<OwnerRow | null> {
  const [row] = await db.select().from(owner).where(eq(owner.lowerName, name.toLowerCase()));
  return row ?? null;
}

/** A repository by the names of its owner and its own, in any case, whoever may see it; null when there is none. */
export async function findRepositoryByName(db: Reader, ownerName: string, name: string): Promise<RepositoryRow | null> {
  const [row] = await db
    .select({ repository })
    .from(repository)
    .innerJoin(owner, eq(owner.id, repository.ownerId))
    .where(and(eq(owner.lowerName, ownerName.toLowerCase()), eq(repository.lowerName, name.toLowerCase())));
  return row?.repository ?? null;
}

/** Lets the old name lead to the repository. */
export async function insertRedirect(tx: Transaction, ownerId: number, oldName: string, repositoryId: number): Promise<void> {
  await tx
    .insert(repositoryRedirect)
    .values({ ownerId, lowerName: oldName.toLowerCase(), repositoryId })
    .onConflictDoUpdate({ target: [repositoryRedirect.ownerId, repositoryRedirect.lowerName], set: { repositoryId } });
}

/** A name that is used again leads nowhere else. */
export async function deleteRedirect(tx: Transaction, ownerId: number, name: string): Promise<void> {
  await tx.delete(repositoryRedirect).where(and(eq(repositoryRedirect.ownerId, ownerId), eq(repositoryRedirect.lowerName, name.toLowerCase())));
}

/**
 * Answers the id of the repository that had this name before: because it was renamed, or its owner was, or both. null
 * when none had. Whether the caller may know of it is not asked here.
 */
export type FindRedirect = (ownerName: string, repositoryName: string) => Promise<number | null>;

export function prepareFindRedirect(db: Database): FindRedirect {
  const ownerName = sql`${sql.placeholder("owner")}::text`;
  const repositoryName = sql`${sql.placeholder("repository")}::text`;
  // A name that leads to its owner by itself is looked up among the former names of repositories only.
  const query = db
    .select({ repositoryId: sql<number | null>`coalesce(${repository.id}, ${repositoryRedirect.repositoryId})`.mapWith(Number) })
    .from(owner)
    .leftJoin(repository, and(eq(repository.ownerId, owner.id), sql`${repository.lowerName} = ${repositoryName}`, sql`${owner.lowerName} <> ${ownerName}`))
    .leftJoin(repositoryRedirect, and(eq(repositoryRedirect.ownerId, owner.id), sql`${repositoryRedirect.lowerName} = ${repositoryName}`))
    .where(
      sql`${owner.lowerName} = ${ownerName} or ${owner.id} = (select ${ownerRedirect.ownerId} from ${ownerRedirect} where ${ownerRedirect.lowerName} = ${ownerName})`,
    )
    .orderBy(sql`(${owner.lowerName} = ${ownerName}) desc`)
    .limit(1)
    .prepare("find_redirect");
  return async (owner, name) => {
    const [row] = await query.execute({ owner: owner.toLowerCase(), repository: name.toLowerCase() });
    return row?.repositoryId || null;
  };
}
