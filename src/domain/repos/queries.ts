import { and, asc, eq, getTableColumns, sql } from "drizzle-orm";
import type { OwnerRow, RepositoryCounts, RepositoryRow } from "../../auth/subject.ts";
import type { Database, Reader, Transaction } from "../../db/client.ts";
import { repositoryCount, repositorySize, topic } from "../../db/schema/lists.ts";
import { accessModes, owner, ownerRedirect } from "../../db/schema/owners.ts";
import { collaborator, repository, repositoryRedirect } from "../../db/schema/repositories.ts";
import { star } from "../../db/schema/social.ts";
import { DeletedMeanwhile, NotFound } from "../spine/errors.ts";
import type { NamedRepository } from "../spine/events/names.ts";

/** The columns that a new or changed repository is given by its use case. */
export type RepositoryColumns = Omit<
  typeof repository.$inferInsert,
  "id" | "lowerName" | "generation" | "createdAt" | "updatedAt"
>;

/** The columns of RepositoryCounts, for queries that join both tables of counts. */
export const countColumns = {
  gitBytes: repositorySize.gitBytes,
  lfsBytes: repositorySize.lfsBytes,
  stars: repositoryCount.stars,
  watchers: repositoryCount.watchers,
  releases: repositoryCount.releases,
  transfers: repositoryCount.transfers,
  forks: repositoryCount.forks,
  openIssues: repositoryCount.openIssues,
  openPulls: repositoryCount.openPulls,
  language: repositoryCount.language,
};

export async function insertRepository(tx: Transaction, columns: RepositoryColumns): Promise<RepositoryRow> {
  const [row] = await tx
    .insert(repository)
    // There are no project boards: the unit says only what teams were given.
    .values({ hasProjects: false, ...columns, lowerName: columns.name.toLowerCase() })
    .returning();
  if (row === undefined) {
    throw new Error("An insert returned no row");
  }
  return row;
}

/** The row of a repository that is there, as it is in this transaction. */
export async function getRepository(db: Reader, id: number): Promise<RepositoryRow> {
  const [row] = await db.select().from(repository).where(eq(repository.id, id));
  if (row === undefined) {
    throw new NotFound("repository", String(id));
  }
  return row;
}

/** Writes the columns given and answers the whole row; null when the repository is gone. */
export async function updateRepository(
  tx: Transaction,
  id: number,
  columns: Partial<RepositoryColumns>,
): Promise<RepositoryRow | null> {
  const lowerName = columns.name?.toLowerCase();
  const [row] = await tx
    .update(repository)
    .set({ ...columns, ...(lowerName === undefined ? {} : { lowerName }), updatedAt: sql`now()` })
    .where(eq(repository.id, id))
    .returning();
  return row ?? null;
}

/** Reads the counters of a repository that existed a moment ago. Throws DeletedMeanwhile. */
export async function getRepositoryCounts(db: Reader, id: number): Promise<RepositoryCounts> {
  const [row] = await db
    .select(countColumns)
    .from(repositorySize)
    .innerJoin(repositoryCount, eq(repositoryCount.repositoryId, repositorySize.repositoryId))
    .where(eq(repositorySize.repositoryId, id));
  if (row === undefined) {
    throw new DeletedMeanwhile("repository", String(id));
  }
  return row;
}

function selectNames(db: Reader, ids: readonly number[]) {
  return db
    .select({
      id: repository.id,
      name: repository.name,
      private: repository.private,
      owner: { id: owner.id, name: owner.name },
    })
    .from(repository)
    .innerJoin(owner, eq(owner.id, repository.ownerId))
    .where(sql`${repository.id} = any(${sql.param([...ids])}::bigint[])`)
    .$dynamic();
}

/** How repositories are called; none that is not there. */
export async function findNamedRepositories(db: Reader, ids: readonly number[]): Promise<NamedRepository[]> {
  return selectNames(db, ids);
}

/** Takes the rows of repositories for this transaction, in the order of their ids; returns how those that are there are called. */
export async function lockRepositoryRows(tx: Transaction, ids: readonly number[]): Promise<NamedRepository[]> {
  return selectNames(tx, ids).orderBy(asc(repository.id)).for("update", { of: repository });
}

/** Repositories with their owners and counts, in the order of their ids; those that are gone are missing. */
export async function readWholeRepositories(
  db: Reader,
  ids: readonly number[],
): Promise<{ repository: RepositoryRow; owner: OwnerRow; counts: RepositoryCounts }[]> {
  return db
    .select({ repository: getTableColumns(repository), owner: getTableColumns(owner), counts: countColumns })
    .from(repository)
    .innerJoin(owner, eq(owner.id, repository.ownerId))
    .innerJoin(repositorySize, eq(repositorySize.repositoryId, repository.id))
    .innerJoin(repositoryCount, eq(repositoryCount.repositoryId, repository.id))
    .where(sql`${repository.id} = any(${sql.param([...ids])}::bigint[])`)
    .orderBy(asc(repository.id));
}

/** The users who have given one of these repositories a star. */
export async function stargazersOf(db: Reader, ids: readonly number[]): Promise<number[]> {
  const rows = await db
    .selectDistinct({ id: star.userId })
    .from(star)
    .where(sql`${star.repositoryId} = any(${sql.param([...ids])}::bigint[])`);
  return rows.map((row) => row.id);
}

/** Locks the counters of the topics of repositories for this transaction, in the order of their names. */
export async function lockTopicsOf(tx: Transaction, repositoryIds: readonly number[]): Promise<void> {
  await tx.execute(sql`select from ${topic} where ${topic.name} = any(array(
      select distinct one.name from repository, unnest(repository.topics) as one (name) where repository.id = any(${sql.param([...repositoryIds])}::bigint[])))
    order by ${topic.name} for update`);
}

/** Deletes the row, and with it all that refers to it: refs, links to packs, collaborators, redirects. */
export async function deleteRepositoryRow(tx: Transaction, id: number): Promise<void> {
  await tx.delete(repository).where(eq(repository.id, id));
}

/** Makes a user a collaborator with administrator's access. */
export async function insertAdminCollaborator(tx: Transaction, repositoryId: number, userId: number): Promise<void> {
  await tx.insert(collaborator).values({ repositoryId, userId, mode: accessModes.admin }).onConflictDoNothing();
}

/**
 * Finds a repository by the names of its owner and its own, in any case, without a permission check; null if there is
 * none.
 */
export async function findRepositoryByName(db: Reader, ownerName: string, name: string): Promise<RepositoryRow | null> {
  const [row] = await db
    .select({ repository })
    .from(repository)
    .innerJoin(owner, eq(owner.id, repository.ownerId))
    .where(and(eq(owner.lowerName, ownerName.toLowerCase()), eq(repository.lowerName, name.toLowerCase())));
  return row?.repository ?? null;
}

/** Lets the old name lead to the repository. */
export async function insertRedirect(
  tx: Transaction,
  ownerId: number,
  oldName: string,
  repositoryId: number,
): Promise<void> {
  await tx
    .insert(repositoryRedirect)
    .values({ ownerId, lowerName: oldName.toLowerCase(), repositoryId })
    .onConflictDoUpdate({ target: [repositoryRedirect.ownerId, repositoryRedirect.lowerName], set: { repositoryId } });
}

/** A name that is used again leads nowhere else. */
export async function deleteRedirect(tx: Transaction, ownerId: number, name: string): Promise<void> {
  await tx
    .delete(repositoryRedirect)
    .where(and(eq(repositoryRedirect.ownerId, ownerId), eq(repositoryRedirect.lowerName, name.toLowerCase())));
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
    .select({
      repositoryId: sql<number | null>`coalesce(${repository.id}, ${repositoryRedirect.repositoryId})`.mapWith(Number),
    })
    .from(owner)
    .leftJoin(
      repository,
      and(
        eq(repository.ownerId, owner.id),
        sql`${repository.lowerName} = ${repositoryName}`,
        sql`${owner.lowerName} <> ${ownerName}`,
      ),
    )
    .leftJoin(
      repositoryRedirect,
      and(eq(repositoryRedirect.ownerId, owner.id), sql`${repositoryRedirect.lowerName} = ${repositoryName}`),
    )
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
