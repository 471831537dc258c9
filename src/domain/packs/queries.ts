import { and, asc, desc, eq, gt, sql, sum } from "drizzle-orm";
import type { Database, Reader, Transaction } from "../../db/client.ts";
import { pack, repository, repositoryPack } from "../../db/schema/repositories.ts";

/** A pack file that lies in its place, durable, waiting to be referred to. */
export interface PublishedPack {
  /** Hexadecimal; the file's name. */
  checksum: string;
  objectCount: number;
  bytes: number;
}

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

/** Gives a repository a pack and counts its bytes. The caller holds the repository's row lock. */
export async function linkPack(tx: Transaction, repositoryId: number, published: PublishedPack): Promise<void> {
  const [row] = await tx
    .insert(pack)
    .values({ checksum: published.checksum, objects: published.objectCount, bytes: published.bytes })
    // The update takes the row's lock, so that nobody removes it before it is linked.
    .onConflictDoUpdate({ target: pack.checksum, set: { checksum: published.checksum } })
    .returning({ id: pack.id });
  if (row === undefined) {
    throw new Error("An upsert returned no row");
  }
  const linked = await tx.insert(repositoryPack).values({ repositoryId, packId: row.id }).onConflictDoNothing().returning({ packId: repositoryPack.packId });
  if (linked.length > 0) {
    await tx.update(repository).set({ gitBytes: sql`${repository.gitBytes} + ${published.bytes}` }).where(eq(repository.id, repositoryId));
  }
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
export async function listPacks(db: Reader, repositoryId: number): Promise<{ checksum: string; objects: number; bytes: number }[]> {
  return db
    .select({ checksum: pack.checksum, objects: pack.objects, bytes: pack.bytes })
    .from(repositoryPack)
    .innerJoin(pack, and(eq(pack.id, repositoryPack.packId)))
    .where(eq(repositoryPack.repositoryId, repositoryId))
    .orderBy(desc(pack.id));
}
