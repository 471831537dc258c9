import { and, asc, count, eq, isNull, or, sql } from "drizzle-orm";
import { discussionVisibleSql, ownerVisibleSql } from "../../../auth/access-sql.ts";
import { viewerOf, type Viewer } from "../../../auth/viewer-of.ts";
import type { Reader, Transaction } from "../../../db/client.ts";
import { owner } from "../../../db/schema/owners.ts";
import { repository } from "../../../db/schema/repositories.ts";
import { savedSearch } from "../../../db/schema/saved-searches.ts";

export type SavedSearchRow = typeof savedSearch.$inferSelect;

/** A list that is searched: of a repository, of an organization, or, where both are null, of the user. */
export type SearchedList = Pick<SavedSearchRow, "repositoryId" | "organizationId" | "isPull">;

/** A search with the names of the list that it belongs to. */
export interface FoundSearch {
  search: SavedSearchRow;
  /** The owner of the repository, or the organization; null: the user's own list. */
  owner: string | null;
  repository: string | null;
}

/** The searches of the viewer, by name, of lists that they may see; `of`: those of one list. */
export async function listSavedSearches(
  db: Reader,
  viewer: Viewer,
  userId: number,
  of: SearchedList | null,
): Promise<FoundSearch[]> {
  const viewing = viewerOf(viewer);
  const ofList =
    of === null
      ? undefined
      : and(
          sql`${savedSearch.repositoryId} is not distinct from ${of.repositoryId}::bigint`,
          sql`${savedSearch.organizationId} is not distinct from ${of.organizationId}::bigint`,
          eq(savedSearch.isPull, of.isPull),
        );
  return db
    .select({ search: savedSearch, owner: owner.name, repository: repository.name })
    .from(savedSearch)
    .leftJoin(repository, eq(repository.id, savedSearch.repositoryId))
    .leftJoin(owner, sql`${owner.id} = coalesce(${repository.ownerId}, ${savedSearch.organizationId})`)
    .where(
      and(
        eq(savedSearch.userId, userId),
        ofList,
        or(
          and(isNull(savedSearch.repositoryId), isNull(savedSearch.organizationId)),
          and(isNull(savedSearch.repositoryId), ownerVisibleSql(viewing)),
          discussionVisibleSql(viewing, savedSearch.isPull),
        ),
      ),
    )
    .orderBy(asc(sql`lower(${savedSearch.name})`), asc(savedSearch.id));
}

export async function countSavedSearches(tx: Transaction, userId: number): Promise<number> {
  const [row] = await tx.select({ value: count() }).from(savedSearch).where(eq(savedSearch.userId, userId));
  return row?.value ?? 0;
}

/** Saves a search; one of the same name in the same list is replaced. */
export async function putSavedSearch(
  tx: Transaction,
  columns: SearchedList & Pick<SavedSearchRow, "userId" | "name" | "query">,
): Promise<void> {
  const { userId, repositoryId, organizationId, isPull, name, query } = columns;
  await tx.execute(sql`
    insert into ${savedSearch} (user_id, repository_id, organization_id, is_pull, name, query)
    values (${userId}, ${repositoryId}, ${organizationId}, ${isPull}, ${name}, ${query})
    on conflict (user_id, coalesce(repository_id, 0), coalesce(organization_id, 0), is_pull, lower(name))
    do update set name = excluded.name, query = excluded.query`);
}

/** Whether the user had such a search. */
export async function removeSavedSearch(tx: Transaction, userId: number, id: number): Promise<boolean> {
  const rows = await tx
    .delete(savedSearch)
    .where(and(eq(savedSearch.id, id), eq(savedSearch.userId, userId)))
    .returning({ id: savedSearch.id });
  return rows.length > 0;
}
