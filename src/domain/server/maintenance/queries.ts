import { and, asc, desc, eq, gt, lt, sql } from "drizzle-orm";
import type { Reader, Transaction } from "../../../db/client.ts";
import { blobReference } from "../../../db/schema/blob.ts";
import { owner } from "../../../db/schema/owners.ts";
import { gitStore, reflog, repository, wiki } from "../../../db/schema/repositories.ts";
import type { ObjectFormatName } from "../../../git/objects/object-format.ts";
import { lockRepository } from "../../spine/lock-queries.ts";
import { storeName } from "../../git/packs/queries.ts";
import { sumOfObjects } from "../../git/lfs/object-queries.ts";
import { isWikiStore, repositoryOfStore, wikiSuffix } from "../../git/wiki-stores/wiki-store.ts";

export interface MaintainedRepository {
  id: number;
  ownerId: number;
  /** owner/name, for a wiki owner/name.wiki */
  fullName: string;
  defaultBranch: string;
  objectFormat: ObjectFormatName;
}

function selectMaintained(db: Reader) {
  return db
    .select({
      id: gitStore.id,
      ownerId: repository.ownerId,
      fullName: storeName,
      defaultBranch: sql<string>`case when ${gitStore.id} < 0 then ${repository.wikiBranch} else ${repository.defaultBranch} end`,
      objectFormat: repository.objectFormat,
    })
    .from(gitStore)
    .innerJoin(repository, eq(repository.id, gitStore.repositoryId))
    .innerJoin(owner, eq(owner.id, repository.ownerId))
    .$dynamic();
}

/**
 * Finds the data of a repository for maintenance, or of a wiki by the id of its refs and packs; null if there is none.
 */
export async function findMaintained(db: Reader, id: number): Promise<MaintainedRepository | null> {
  const [row] = await selectMaintained(db).where(eq(gitStore.id, id));
  return row ?? null;
}

/**
 * Finds it by the names of the owner and the repository; with `.wiki` at the end, its wiki if anything was written to
 * it.
 */
export async function findMaintainedByName(
  db: Reader,
  ownerName: string,
  name: string,
): Promise<MaintainedRepository | null> {
  const isWiki = name.toLowerCase().endsWith(wikiSuffix);
  const repositoryName = isWiki ? name.slice(0, -wikiSuffix.length) : name;
  const [row] = await selectMaintained(db).where(
    and(
      eq(owner.lowerName, ownerName.toLowerCase()),
      eq(repository.lowerName, repositoryName.toLowerCase()),
      isWiki ? lt(gitStore.id, 0) : gt(gitStore.id, 0),
    ),
  );
  return row ?? null;
}

export interface LfsCount {
  readonly objects: number;
  readonly bytes: number;
  /** of all repositories and wikis that the same owner has; an object that is in two of them counts twice */
  readonly ownerBytes: number;
}

/** Counts the LFS objects of a repository or a wiki, and of its owner. */
export async function countLfs(
  db: Reader,
  { id, ownerId }: Pick<MaintainedRepository, "id" | "ownerId">,
): Promise<LfsCount> {
  const [ofOwner] = await db
    .select({ bytes: sql<number>`coalesce(sum(${blobReference.bytes}), 0)`.mapWith(Number) })
    .from(blobReference)
    .where(and(eq(blobReference.ownerId, ownerId), eq(blobReference.kind, "lfs-object")));
  return { ...(await sumOfObjects(db, id)), ownerBytes: ofOwner?.bytes ?? 0 };
}

/** Takes the repository's row for this transaction and raises its generation; to its users it has not changed. False when it is gone. */
export async function lockForMaintenance(tx: Transaction, id: number): Promise<boolean> {
  if (isWikiStore(id)) {
    const isThere = await lockRepository(tx, repositoryOfStore(id));
    const wikis = tx
      .update(wiki)
      .set({ generation: sql`${wiki.generation} + 1` })
      .where(eq(wiki.id, id))
      .returning({ id: wiki.id });
    return isThere && (await wikis).length > 0;
  }
  const rows = await tx
    .update(repository)
    .set({ generation: sql`${repository.generation} + 1` })
    .where(eq(repository.id, id))
    .returning({ id: repository.id });
  return rows.length > 0;
}

/** Returns the oids that refs pointed at before or after a change since an instant; hexadecimal. */
export async function recentOids(db: Reader, repositoryId: number, since: Date): Promise<string[]> {
  const rows = await db
    .select({
      old: sql<string | null>`encode(${reflog.oldOid}, 'hex')`,
      new: sql<string | null>`encode(${reflog.newOid}, 'hex')`,
    })
    .from(reflog)
    .where(and(eq(reflog.repositoryId, repositoryId), gt(reflog.at, since)));
  return [...new Set(rows.flatMap((row) => [row.old ?? [], row.new ?? []].flat()))];
}

/** All repositories as owner/name, each before its wiki if it has one, in the order of their ids. */
export async function listRepositoryNames(db: Reader): Promise<{ id: number; fullName: string }[]> {
  return db
    .select({ id: gitStore.id, fullName: storeName })
    .from(gitStore)
    .innerJoin(repository, eq(repository.id, gitStore.repositoryId))
    .innerJoin(owner, eq(owner.id, repository.ownerId))
    .orderBy(asc(gitStore.repositoryId), desc(gitStore.id));
}
