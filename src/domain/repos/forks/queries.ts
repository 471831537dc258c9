import { and, eq, inArray, sql } from "drizzle-orm";
import { accessColumns, repositoryVisibleSql } from "../../../auth/access-sql.ts";
import type { OwnerRow, RepositoryAccess, RepositoryRow } from "../../../auth/subject.ts";
import { repositoryAccess } from "../../../auth/unit-modes.ts";
import { viewerOf, type Viewer } from "../../../auth/viewer-of.ts";
import type { Reader, Transaction } from "../../../db/client.ts";
import { blob, blobReference } from "../../../db/schema/blob.ts";
import { repositoryCount, repositorySize } from "../../../db/schema/lists.ts";
import { owner } from "../../../db/schema/owners.ts";
import { pack, ref, repository, repositoryPack } from "../../../db/schema/repositories.ts";
import { ambiguousRefPattern } from "../../../git/refs/ref-name.ts";
import { forksWithParents, hiddenParentSql } from "../fork-queries.ts";
import { copyObjects } from "../../git/lfs/queries.ts";
import type { NamedRepository } from "../../spine/events/names.ts";
import { countColumns, lockRepositoryRows } from "../queries.ts";

/** Those of these repositories that the viewer may know of, with the viewer's access to each, by their ids. */
export async function findVisibleRepositories(
  db: Reader,
  viewer: Viewer,
  ids: readonly number[],
): Promise<Map<number, RepositoryAccess>> {
  if (ids.length === 0) {
    return new Map();
  }
  const viewing = viewerOf(viewer);
  const rows = await db
    .select({ repository, owner, counts: countColumns, modes: accessColumns(viewing) })
    .from(repository)
    .innerJoin(owner, eq(owner.id, repository.ownerId))
    .innerJoin(repositorySize, eq(repositorySize.repositoryId, repository.id))
    .innerJoin(repositoryCount, eq(repositoryCount.repositoryId, repository.id))
    .where(and(inArray(repository.id, [...ids]), repositoryVisibleSql(viewing)));
  return new Map(
    rows.map((row) => [row.repository.id, repositoryAccess(row.repository, row.owner, row.counts, row.modes)]),
  );
}

/** The fork that an owner has of a repository; null when it has none. */
export async function findForkOf(
  db: Reader,
  ownerId: number,
  parentId: number,
): Promise<{ id: number; name: string } | null> {
  const [row] = await db
    .select({ id: repository.id, name: repository.name })
    .from(repository)
    .where(and(eq(repository.forkOf, parentId), eq(repository.ownerId, ownerId)))
    .limit(1);
  return row ?? null;
}

/**
 * Takes what a fork will refer to, for this transaction, in the order of locks that docs/architecture.md has: the row of
 * its parent, which is what a push waits for, then the parent's packs and LFS objects, which nobody removes then, and the
 * owners of both. Returns the parent's row and both owners as they are now; null when one of them is gone.
 */
export async function lockForFork(
  tx: Transaction,
  parentId: number,
  ownerId: number,
): Promise<{ repository: RepositoryRow; owner: OwnerRow; into: OwnerRow } | null> {
  const [parent] = await tx.select().from(repository).where(eq(repository.id, parentId)).for("no key update");
  if (parent === undefined) {
    return null;
  }
  await tx.execute(sql`select from ${pack} where ${pack.id} in (select pack_id from ${repositoryPack} where repository_id = ${parentId})
    order by ${pack.checksum} for key share`);
  await tx.execute(sql`select from ${blob} where ${blob.sha256} in (
      select sha256 from ${blobReference} where kind = 'lfs-object' and subject_id = ${parentId}) order by ${blob.sha256} for key share`);
  const owners = await tx
    .select()
    .from(owner)
    .where(inArray(owner.id, [parent.ownerId, ownerId]))
    .orderBy(owner.id)
    .for("share");
  const [of, into] = [parent.ownerId, ownerId].map((id) => owners.find((row) => row.id === id));
  return of === undefined || into === undefined ? null : { repository: parent, owner: of, into };
}

/**
 * Gives a new fork what its parent has: links to the packs, the refs that people made and git clients see, except ambiguous ones, and links
 * to the LFS objects. A default branch is copied whatever its name is. `hiddenRefs` are the prefixes of `git.hidden_refs`. With
 * `onlyBranch`, this branch is the only ref. The parent's row is held.
 */
export async function copyContents(
  tx: Transaction,
  parentId: number,
  fork: { id: number; ownerId: number },
  { hiddenRefs, onlyBranch }: { hiddenRefs: readonly string[]; onlyBranch: string | null },
): Promise<void> {
  await tx.execute(sql`insert into ${repositoryPack} (repository_id, pack_id)
    select ${fork.id}::bigint, pack_id from ${repositoryPack} where repository_id = ${parentId}`);
  await tx.execute(sql`insert into ${ref} (repository_id, name, oid, peeled)
    select ${fork.id}::bigint, name, oid, peeled from ${ref}
    where repository_id = ${parentId} and not starts_with(name, 'refs/pull/') and not ${isHiddenSql(hiddenRefs)}
      and (${onlyBranch === null} or name = ${`refs/heads/${onlyBranch}`})
      and (name !~ ${ambiguousRefPattern} or name = 'refs/heads/' || (select default_branch from ${repository} where id = ${parentId})) order by name`);
  await copyObjects(tx, parentId, fork);
  await tx.execute(sql`update ${repositorySize} set git_bytes = parent.git_bytes
    from ${repositorySize} parent where parent.repository_id = ${parentId} and ${repositorySize.repositoryId} = ${fork.id}`);
}

/** Whether prefixes hide the ref `name`: the rule of isHiddenRef (git/refs/hidden-refs.ts). */
function isHiddenSql(prefixes: readonly string[]) {
  if (prefixes.length === 0) {
    return sql`false`;
  }
  return sql`coalesce((select not given.word like '!%' from unnest(${sql.param([...prefixes])}::text[]) with ordinality as given (word, place),
      lateral (select regexp_replace(given.word, '^!', '') as prefix) hides
    where name = hides.prefix or starts_with(name, regexp_replace(hides.prefix, '/?$', '/'))
    order by given.place desc limit 1), false)`;
}

/** The change after which forks may have to be private: that of a repository, or of an owner's visibility. */
export type HiddenFrom = { repositoryId: number } | { ownerId: number };

/**
 * Makes those forks private that have to be, and their forks in turn; returns those that were not. Forks have
 * greater ids than their parents, so the rows are taken in the order of locks after a parent.
 */
export async function hideForks(tx: Transaction, from: HiddenFrom): Promise<NamedRepository[]> {
  const concerned =
    "repositoryId" in from
      ? sql`(child.fork_of = ${from.repositoryId} or child.id = ${from.repositoryId})`
      : sql`(parent.owner_id = ${from.ownerId} or child.owner_id = ${from.ownerId})`;
  const found = await tx.execute<{ id: string }>(sql`
    with recursive hidden as (
      select child.id, child.private from ${forksWithParents} where ${concerned} and not child.private and ${hiddenParentSql}
      union
      select below.id, below.private from hidden join repository below on below.fork_of = hidden.id)
    select ${repository.id} from ${repository} where ${repository.id} in (select id from hidden where not private)
      order by ${repository.id} for no key update`);
  const ids = found.map(({ id }) => Number(id));
  if (ids.length === 0) {
    return [];
  }
  await tx
    .update(repository)
    .set({ private: true, updatedAt: sql`now()` })
    .where(sql`${repository.id} = any(${sql.param(ids)}::bigint[])`);
  return lockRepositoryRows(tx, ids);
}

/** Counts one fork less of a repository, whose row of counts is locked. */
export async function countForkLess(tx: Transaction, parentId: number): Promise<void> {
  await tx
    .update(repositoryCount)
    .set({ forks: sql`${repositoryCount.forks} - 1` })
    .where(eq(repositoryCount.repositoryId, parentId));
}
