import { and, asc, count, desc, eq, gt, inArray, sql, sum } from "drizzle-orm";
import type { Database, Reader, Transaction } from "../../db/client.ts";
import { insertForAWhile } from "../../db/insert-for-a-while.ts";
import { pack, repository, repositoryPack } from "../../db/schema/repositories.ts";
import { publishPack, type StagedPack } from "../../git/workers/pack-destination.ts";

/** Prepares the query for a repository's packs, newest first, and the generation they belong to. */
export function preparePackQueries(db: Database) {
  const packs = db
    .select({ generation: repository.generation, checksums: sql<string[]>`array_remove(array_agg(${pack.checksum} order by ${pack.id} desc), null)` })
    .from(repository)
    .leftJoin(repositoryPack, eq(repositoryPack.repositoryId, repository.id))
    .leftJoin(pack, eq(pack.id, repositoryPack.packId))
    .where(eq(repository.id, sql.placeholder("repositoryId")))
    .groupBy(repository.id)
    .prepare("packs_of_repository");
  return {
    async findPacks(repositoryId: number): Promise<{ generation: number; checksums: string[] } | null> {
      const [row] = await packs.execute({ repositoryId });
      return row ?? null;
    },
  };
}

/**
 * Gives a repository packs, counts their bytes and publishes them. The caller holds the repository's row lock, and runs
 * the transaction by namePacks.
 *
 * A pack's row comes before its files: everybody else who would publish or remove the same pack waits for it until
 * the transaction ends. So the files are durable before the transaction commits, and nobody takes them away in between.
 */
export async function linkPacks(tx: Transaction, repositoryId: number, packs: readonly StagedPack[]): Promise<void> {
  // In one order for all, so that two who have several packs in common do not wait for each other.
  for (const staged of packs.toSorted((left, right) => (left.checksum < right.checksum ? -1 : 1))) {
    await linkPack(tx, repositoryId, staged);
    await publishPack(staged);
  }
}

async function linkPack(tx: Transaction, repositoryId: number, staged: StagedPack): Promise<void> {
  const [row] = await tx
    .insert(pack)
    .values({ checksum: staged.checksum, objects: staged.objectCount, bytes: staged.bytes })
    // The update takes the row's lock, so that nobody removes it before it is linked.
    .onConflictDoUpdate({ target: pack.checksum, set: { checksum: staged.checksum } })
    .returning({ id: pack.id });
  if (row === undefined) {
    throw new Error("An upsert returned no row");
  }
  const linked = await tx.insert(repositoryPack).values({ repositoryId, packId: row.id }).onConflictDoNothing().returning({ packId: repositoryPack.packId });
  if (linked.length > 0) {
    await tx.update(repository).set({ gitBytes: sql`${repository.gitBytes} + ${staged.bytes}` }).where(eq(repository.id, repositoryId));
  }
}

/** A pack of a repository, as maintenance looks at it. */
export interface LinkedPack {
  checksum: string;
  objects: number;
  bytes: number;
}

/**
 * Gives a repository other packs in the place of some that it has: the link is swapped, and rows of packs that no
 * repository has any more go. The caller holds the repository's row lock. False, with nothing changed, when one of the
 * old ones is not linked any more.
 */
export async function swapPacks(tx: Transaction, repositoryId: number, old: readonly string[], packs: readonly StagedPack[]): Promise<boolean> {
  const locked = await lockPacks(tx, repositoryId);
  const rows = locked.length === 0 ? [] : await tx.select({ id: pack.id, checksum: pack.checksum }).from(pack).where(inArray(pack.id, locked));
  const ids = new Map(rows.map((row) => [row.checksum, row.id]));
  if (!old.every((checksum) => ids.has(checksum))) {
    return false;
  }
  const kept = new Set(packs.map(({ checksum }) => checksum));
  const gone = old.filter((checksum) => !kept.has(checksum)).map((checksum) => ids.get(checksum) ?? 0);
  await linkPacks(tx, repositoryId, packs);
  if (gone.length > 0) {
    await tx.delete(repositoryPack).where(and(eq(repositoryPack.repositoryId, repositoryId), inArray(repositoryPack.packId, gone)));
    await deleteUnlinkedPacks(tx, gone);
  }
  const sum = sql`(select coalesce(sum(${pack.bytes}), 0) from ${repositoryPack} join ${pack} on ${pack.id} = ${repositoryPack.packId} where ${repositoryPack.repositoryId} = ${repositoryId})`;
  await tx.update(repository).set({ gitBytes: sum }).where(eq(repository.id, repositoryId));
  return true;
}

/** Takes the rows of a repository's packs for this transaction, so that nobody links one meanwhile; answers their ids. */
export async function lockPacks(tx: Transaction, repositoryId: number): Promise<number[]> {
  const rows = await tx
    .select({ id: pack.id })
    .from(repositoryPack)
    .innerJoin(pack, eq(pack.id, repositoryPack.packId))
    .where(eq(repositoryPack.repositoryId, repositoryId))
    .orderBy(asc(pack.id))
    .for("update", { of: pack });
  return rows.map((row) => row.id);
}

/** Removes those of these packs, whose rows are locked, that no repository has any more. */
export async function deleteUnlinkedPacks(tx: Transaction, ids: readonly number[]): Promise<void> {
  const unlinked = sql`not exists (select 1 from ${repositoryPack} where ${repositoryPack.packId} = ${pack.id})`;
  await tx.delete(pack).where(and(sql`${pack.id} = any(${sql.param([...ids])}::bigint[])`, unlinked));
}

/** Which of these packs a row refers to. */
export async function knownPacks(db: Reader, checksums: readonly string[]): Promise<Set<string>> {
  const rows = checksums.length === 0 ? [] : await db.select({ checksum: pack.checksum }).from(pack).where(sql`${pack.checksum} = any(${sql.param([...checksums])}::text[])`);
  return new Set(rows.map((row) => row.checksum));
}

/** Does something with the files of a pack that no row names, while nobody can come to name it; see `insertForAWhile`. */
export async function whileUnnamed(db: Database, checksum: string, work: () => Promise<void>): Promise<boolean> {
  return insertForAWhile(db, {
    // Just as linkPacks does it.
    insert: async (tx) => (await tx.insert(pack).values({ checksum, objects: 0, bytes: 0 }).onConflictDoNothing().returning({ id: pack.id })).length > 0,
    work: async () => {
      await work();
      return true;
    },
    remove: (tx) => tx.delete(pack).where(eq(pack.checksum, checksum)),
  });
}

/** Some of the packs that repositories have, in the order of their ids, beginning after one. */
export async function pageOfPacks(db: Reader, afterId: number, size: number): Promise<{ id: number; checksum: string; bytes: number }[]> {
  return db
    .select({ id: pack.id, checksum: pack.checksum, bytes: pack.bytes })
    .from(pack)
    .where(and(gt(pack.id, afterId), sql`exists (select 1 from ${repositoryPack} where ${repositoryPack.packId} = ${pack.id})`))
    .orderBy(asc(pack.id))
    .limit(size);
}

/** The sum of the bytes of all packs. */
export async function sumPackBytes(db: Reader): Promise<number> {
  const [row] = await db.select({ value: sum(pack.bytes) }).from(pack);
  return Number(row?.value ?? 0);
}

/** The packs of a repository with their sizes, newest first. */
export async function listPacks(db: Reader, repositoryId: number): Promise<LinkedPack[]> {
  return db
    .select({ checksum: pack.checksum, objects: pack.objects, bytes: pack.bytes })
    .from(repositoryPack)
    .innerJoin(pack, and(eq(pack.id, repositoryPack.packId)))
    .where(eq(repositoryPack.repositoryId, repositoryId))
    .orderBy(desc(pack.id));
}

/** Which packs a repository has. */
export async function linkedChecksums(db: Reader, repositoryId: number): Promise<Set<string>> {
  return new Set((await listPacks(db, repositoryId)).map(({ checksum }) => checksum));
}

/** Ids of repositories that have more than one pack, those with the most first. */
export async function repositoriesWithPacks(db: Reader, limit: number): Promise<number[]> {
  const rows = await db
    .select({ id: repositoryPack.repositoryId })
    .from(repositoryPack)
    .groupBy(repositoryPack.repositoryId)
    .having(gt(count(), 1))
    .orderBy(desc(count()))
    .limit(limit);
  return rows.map((row) => row.id);
}
