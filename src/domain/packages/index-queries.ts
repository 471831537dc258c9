import { and, desc, eq, gt, inArray, lt, lte, sql, type SQL } from "drizzle-orm";
import type { Database, Reader, Transaction } from "../../db/client.ts";
import {
  packageFile,
  packageIndex,
  packageIndexFile,
  packageKey,
  packageStanza,
  packageVersion,
  registryPackage,
  type IndexAudience,
  type PackageType,
} from "../../db/schema/packages.ts";
import { repository } from "../../db/schema/repositories.ts";

export type IndexRow = typeof packageIndex.$inferSelect;
export type IndexFileRow = typeof packageIndexFile.$inferSelect;
export type NewIndexFile = Omit<typeof packageIndexFile.$inferInsert, "id" | "indexId" | "ownerId" | "generation">;
export type NewStanza = Pick<typeof packageStanza.$inferInsert, "indexName" | "part" | "sort" | "content">;

/** Which index: of an owner's registry of a format, the one of this name. */
export interface IndexName {
  readonly ownerId: number;
  readonly type: PackageType;
  readonly name: string;
}

const isNamed = ({ ownerId, type, name }: IndexName) =>
  and(eq(packageIndex.ownerId, ownerId), eq(packageIndex.type, type), eq(packageIndex.name, name));

/** Whether not everybody who may read the owner's packages may know of `registryPackage`. */
const isGuarded = sql`(${registryPackage.insidersOnly} or exists (select 1 from ${repository}
  where ${repository.id} = ${registryPackage.repositoryId} and ${repository.private}))`;

/** Those stanzas of an index that an audience is shown. */
function shown({ ownerId, type, name }: IndexName, audience: IndexAudience): SQL | undefined {
  return and(
    eq(packageStanza.ownerId, ownerId),
    eq(packageStanza.type, type),
    eq(packageStanza.indexName, name),
    audience === "insiders"
      ? undefined
      : sql`exists (select 1 from ${packageFile} join ${packageVersion} on ${packageVersion.id} = ${packageFile.versionId}
          join ${registryPackage} on ${registryPackage.id} = ${packageVersion.packageId}
          where ${packageFile.id} = ${packageStanza.fileId} and not ${isGuarded})`,
  );
}

/** Adds what a file adds to indexes. Returns the names of these indexes. */
export async function insertStanzas(
  tx: Transaction,
  file: { id: number; ownerId: number; type: PackageType },
  stanzas: readonly NewStanza[],
): Promise<string[]> {
  if (stanzas.length > 0) {
    await tx
      .insert(packageStanza)
      .values(stanzas.map((stanza) => ({ ...stanza, fileId: file.id, ownerId: file.ownerId, type: file.type })));
  }
  return [...new Set(stanzas.map(({ indexName }) => indexName))];
}

/**
 * Locks the indexes that a file adds to, and makes those that are missing. It comes before the file is written: the writer of an index
 * locks the index first, and then the row that counts the owner's bytes (the order of locks in docs/architecture.md).
 */
export async function lockIndexesOf(
  tx: Transaction,
  { ownerId, type }: { ownerId: number; type: PackageType },
  stanzas: readonly NewStanza[],
): Promise<void> {
  const names = [...new Set(stanzas.map(({ indexName }) => indexName))].toSorted();
  if (names.length === 0) {
    return;
  }
  await tx
    .insert(packageIndex)
    .values(names.map((name) => ({ ownerId, type, name, wanted: 0 })))
    .onConflictDoNothing();
  await tx
    .select({ id: packageIndex.id })
    .from(packageIndex)
    .where(and(eq(packageIndex.ownerId, ownerId), eq(packageIndex.type, type), inArray(packageIndex.name, names)))
    .orderBy(packageIndex.name)
    .for("no key update");
}

/** How many indexes of a format have packages. */
export async function countIndexes(tx: Reader, ownerId: number, type: PackageType): Promise<number> {
  const isFilled = and(eq(packageIndex.ownerId, ownerId), eq(packageIndex.type, type), gt(packageIndex.bytes, 0));
  return tx.$count(packageIndex, isFilled);
}

/** The bytes of all stanzas of an index, which a trigger counts. */
export async function getIndexBytes(tx: Reader, name: IndexName): Promise<number> {
  const [row] = await tx.select({ bytes: packageIndex.bytes }).from(packageIndex).where(isNamed(name));
  return row!.bytes;
}

/** The bytes of all stanzas of a part of an index. */
export interface PartBytes {
  readonly part: string;
  readonly bytes: number;
}

/** The parts of an index, in no order. */
export async function listPartBytes(tx: Reader, { ownerId, type, name }: IndexName): Promise<PartBytes[]> {
  return tx
    .select({
      part: packageStanza.part,
      bytes: sql<number>`sum(octet_length(${packageStanza.content}))`.mapWith(Number),
    })
    .from(packageStanza)
    .where(and(eq(packageStanza.ownerId, ownerId), eq(packageStanza.type, type), eq(packageStanza.indexName, name)))
    .groupBy(packageStanza.part);
}

/** Returns the stanzas that the files of a version add to a part of an index, by the id of the file. */
export async function listStanzas(
  db: Reader,
  { versionId, indexName, part }: { versionId: number; indexName: string; part: string },
): Promise<Map<number, string>> {
  const rows = await db
    .select({ fileId: packageStanza.fileId, content: packageStanza.content })
    .from(packageStanza)
    .innerJoin(packageFile, eq(packageFile.id, packageStanza.fileId))
    .where(
      and(eq(packageFile.versionId, versionId), eq(packageStanza.indexName, indexName), eq(packageStanza.part, part)),
    );
  return new Map(rows.map(({ fileId, content }) => [fileId, content]));
}

export async function deleteStanza(
  tx: Transaction,
  { fileId, indexName, part }: { fileId: number; indexName: string; part: string },
): Promise<void> {
  await tx
    .delete(packageStanza)
    .where(and(eq(packageStanza.fileId, fileId), eq(packageStanza.indexName, indexName), eq(packageStanza.part, part)));
}

export async function findIndex(db: Reader, name: IndexName): Promise<IndexRow | null> {
  const [row] = await db.select().from(packageIndex).where(isNamed(name));
  return row ?? null;
}

/** The parts that an index has; null where this one is among them. */
export async function listPartsWithout(db: Reader, name: IndexName, part: string): Promise<string[] | null> {
  const { ownerId, type } = name;
  const isOfIndex = and(
    eq(packageStanza.ownerId, ownerId),
    eq(packageStanza.type, type),
    eq(packageStanza.indexName, name.name),
  );
  const [row] = await db
    .select({ part: packageStanza.part })
    .from(packageStanza)
    .where(and(isOfIndex, eq(packageStanza.part, part)))
    .limit(1);
  if (row !== undefined) {
    return null;
  }
  const rows = await db.selectDistinct({ part: packageStanza.part }).from(packageStanza).where(isOfIndex);
  return rows.map((one) => one.part);
}

/** The indexes whose files are not what is wanted, of one owner or of all. */
export async function listUnbuilt(db: Reader, ownerId: number | null): Promise<IndexRow[]> {
  const isUnbuilt = lt(packageIndex.built, packageIndex.wanted);
  return db
    .select()
    .from(packageIndex)
    .where(ownerId === null ? isUnbuilt : and(isUnbuilt, eq(packageIndex.ownerId, ownerId)))
    .orderBy(packageIndex.id);
}

/** Returns the owners whose packages are linked to a repository: its owner, and former ones. */
export async function listOwnersOfLinked(db: Reader, repositoryId: number): Promise<number[]> {
  const rows = await db
    .selectDistinct({ ownerId: registryPackage.ownerId })
    .from(registryPackage)
    .where(eq(registryPackage.repositoryId, repositoryId));
  return rows.map(({ ownerId }) => ownerId);
}

/** The data of a build, all of one moment. */
export interface IndexSnapshot {
  /** The index at that moment, with its wanted and its served generation. */
  readonly index: IndexRow;
  /** Whether some stanza is not for everybody. */
  hasGuarded(): Promise<boolean>;
  /** The parts that have a stanza for this audience, and how many. */
  parts(audience: IndexAudience): Promise<{ part: string; count: number }[]>;
  /** The stanzas of a part in their order. */
  stanzas(audience: IndexAudience, part: string): AsyncGenerator<string>;
}

/** So many are held at once, as long as they have no more than so many bytes together. */
const stanzasAtOnce = 1000;
const stanzaBytesAtOnce = 4 * 1024 * 1024;

/** Reads an index's stanzas within one transaction that sees one moment. null: there is no such index. */
export async function readIndex<Result>(
  db: Database,
  name: IndexName,
  read: (snapshot: IndexSnapshot) => Promise<Result>,
): Promise<Result | null> {
  return db.transaction(
    async (tx) => {
      const index = await findIndex(tx, name);
      return index === null ? null : read(snapshotOf(tx, index));
    },
    { isolationLevel: "repeatable read", accessMode: "read only" },
  );
}

function snapshotOf(tx: Transaction, index: IndexRow): IndexSnapshot {
  return {
    index,
    hasGuarded: () => hasGuarded(tx, index),
    parts: async (audience) => {
      const rows = await tx
        .select({ part: packageStanza.part, count: sql<number>`count(*)::int` })
        .from(packageStanza)
        .where(shown(index, audience))
        .groupBy(packageStanza.part)
        .orderBy(packageStanza.part);
      return rows;
    },
    async *stanzas(audience, part) {
      let after: StanzaRow | null = null;
      for (;;) {
        const isBehind =
          after === null
            ? undefined
            : sql`(${packageStanza.sort}, ${packageStanza.fileId}) > (${after.sort}, ${after.fileId})`;
        const rows = await readStanzas(tx, and(shown(index, audience), eq(packageStanza.part, part), isBehind));
        yield* rows.map(({ content }) => content);
        after = rows.at(-1) ?? null;
        if (after === null || after.isLast) {
          return;
        }
      }
    },
  };
}

interface StanzaRow {
  readonly sort: string;
  readonly fileId: number;
  readonly content: string;
  /** None comes behind it. */
  readonly isLast: boolean;
}

/** The first stanzas of those asked for: at least one, and no more than are held at once. */
async function readStanzas(tx: Transaction, where: SQL | undefined): Promise<StanzaRow[]> {
  const { sort, fileId, content } = packageStanza;
  const order = sql`${sort}, ${fileId}`;
  const bytes = sql`octet_length(${content})`;
  const asked = tx
    .select({
      sort,
      fileId,
      content,
      // Of those before it; the lengths of texts are known without reading them.
      before: sql<number>`sum(${bytes}) over (order by ${order}) - ${bytes}`.as("before"),
      isLast: sql<boolean>`lead(${fileId}) over (order by ${order}) is null`.as("is_last"),
    })
    .from(packageStanza)
    .where(where)
    .orderBy(sort, fileId)
    .limit(stanzasAtOnce)
    .as("asked");
  return tx
    .select({ sort: asked.sort, fileId: asked.fileId, content: asked.content, isLast: asked.isLast })
    .from(asked)
    .where(lt(asked.before, stanzaBytesAtOnce))
    .orderBy(asked.sort, asked.fileId);
}

/** Whether some stanza of an index is not for everybody. */
async function hasGuarded(db: Reader, { ownerId, type, name }: IndexName): Promise<boolean> {
  const [row] = await db
    .select({ id: packageStanza.fileId })
    .from(packageStanza)
    .innerJoin(packageFile, eq(packageFile.id, packageStanza.fileId))
    .innerJoin(packageVersion, eq(packageVersion.id, packageFile.versionId))
    .innerJoin(registryPackage, eq(registryPackage.id, packageVersion.packageId))
    .where(
      and(
        eq(packageStanza.ownerId, ownerId),
        eq(packageStanza.type, type),
        eq(packageStanza.indexName, name),
        isGuarded,
      ),
    )
    .limit(1);
  return row !== undefined;
}

/** Locks an index until the transaction ends; null when it is gone. */
export async function lockIndex(tx: Transaction, id: number): Promise<IndexRow | null> {
  const [row] = await tx.select().from(packageIndex).where(eq(packageIndex.id, id)).for("no key update");
  return row ?? null;
}

/** Adds the files of a generation of a locked index, and makes it the one that is served. */
export async function insertGeneration(
  tx: Transaction,
  { id, ownerId, generation }: Pick<IndexRow, "id" | "ownerId" | "generation">,
  built: number,
  files: readonly NewIndexFile[],
): Promise<void> {
  if (files.length > 0) {
    await tx
      .insert(packageIndexFile)
      .values(files.map((file) => ({ ...file, indexId: id, ownerId, generation: generation + 1 })));
  }
  await tx
    .update(packageIndex)
    .set({ generation: generation + 1, built, builtAt: sql`now()` })
    .where(eq(packageIndex.id, id));
}

/**
 * Deletes replaced generations of an index, but for so many of the newest, and for as many of these as have so many bytes; the last one
 * that was replaced stays. `generation` is the one that is served.
 */
export async function deleteGenerations(
  tx: Transaction,
  { id, generation }: Pick<IndexRow, "id" | "generation">,
  kept: { generations: number; bytes: number },
): Promise<void> {
  // A file that several generations have is one on the disk, and counts for the newest of them.
  const files = sql`(select distinct on (sha256) generation, bytes from ${packageIndexFile}
    where index_id = ${id} order by sha256, generation desc)`;
  const [row] = await tx.execute<{ upTo: string | null }>(sql`select max(generation) as "upTo" from (
    select generation, sum(sum(bytes)) over (order by generation desc) as total
      from ${files} as files where generation < ${generation} group by generation) as replaced
    where total > ${kept.bytes} and generation < ${generation - 1}`);
  const upTo = Math.max(generation - kept.generations, Number(row?.upTo ?? 0));
  await tx
    .delete(packageIndexFile)
    .where(and(eq(packageIndexFile.indexId, id), lte(packageIndexFile.generation, upTo)));
}

/**
 * Keeps from strangers what indexes say of packages that fewer may know of from now on: those of a repository, or one. All files that
 * everybody was served, whichever generation they are of, go to insiders, or go if these have their own. Those that were current are of
 * a new generation, so a build that has read what was before does not publish it.
 */
export async function hideFiles(tx: Transaction, of: { repositoryId: number } | { packageId: number }): Promise<void> {
  const isOf =
    "packageId" in of ? eq(registryPackage.id, of.packageId) : eq(registryPackage.repositoryId, of.repositoryId);
  const stanzas = tx
    .selectDistinct({ ownerId: packageStanza.ownerId, type: packageStanza.type, name: packageStanza.indexName })
    .from(packageStanza)
    .innerJoin(packageFile, eq(packageFile.id, packageStanza.fileId))
    .innerJoin(packageVersion, eq(packageVersion.id, packageFile.versionId))
    .innerJoin(registryPackage, eq(registryPackage.id, packageVersion.packageId))
    .where(isOf);
  const indexes = await tx
    .select({ id: packageIndex.id, generation: packageIndex.generation })
    .from(packageIndex)
    .where(sql`(${packageIndex.ownerId}, ${packageIndex.type}, ${packageIndex.name}) in ${stanzas}`)
    .orderBy(packageIndex.id)
    .for("no key update");
  for (const { id, generation } of indexes) {
    const files = eq(packageIndexFile.indexId, id);
    const forEveryone = and(files, eq(packageIndexFile.audience, "everyone"));
    const own = sql`exists (select 1 from ${packageIndexFile} own where own.index_id = ${id} and own.audience = 'insiders'
      and own.path = ${packageIndexFile.path} and own.generation = ${packageIndexFile.generation})`;
    await tx.delete(packageIndexFile).where(and(forEveryone, own));
    await tx.update(packageIndexFile).set({ audience: "insiders" }).where(forEveryone);
    await tx
      .update(packageIndexFile)
      .set({ generation: generation + 1 })
      .where(and(files, eq(packageIndexFile.generation, generation)));
    await tx
      .update(packageIndex)
      .set({ generation: generation + 1 })
      .where(eq(packageIndex.id, id));
  }
}

/** Deletes the files of all generations that were replaced before, but for the last one. Returns how many. */
export async function deleteReplaced(tx: Transaction, before: Date): Promise<number> {
  const rows = await tx
    .delete(packageIndexFile)
    .where(
      and(
        sql`${packageIndexFile.generation} < (select ${packageIndex.generation} - 1 from ${packageIndex} where ${packageIndex.id} = ${packageIndexFile.indexId})`,
        // A generation is replaced when the next one comes, however old it is then.
        sql`${packageIndexFile.generation} < (select max(newer.generation) from ${packageIndexFile} as newer
          where newer.index_id = ${packageIndexFile.indexId} and newer.created_at < ${before.toISOString()})`,
      ),
    )
    .returning({ id: packageIndexFile.id });
  return rows.length;
}

/** Which generation a file of an index is taken from: the one that is served, this one, or the newest that has the file. */
export type AskedGeneration = "current" | "newest" | number;

/** A file of an index; null where it has none of this path. Insiders get theirs where the index has some for them. */
export async function findIndexFile(
  db: Reader,
  name: IndexName,
  asked: { path: string; audience: IndexAudience; generation?: AskedGeneration },
): Promise<IndexFileRow | null> {
  const { generation = "current" } = asked;
  const [row] = await db
    .select({ file: packageIndexFile })
    .from(packageIndexFile)
    .innerJoin(packageIndex, eq(packageIndex.id, packageIndexFile.indexId))
    .where(
      and(
        isNamed(name),
        eq(packageIndexFile.path, asked.path),
        audienceOf(asked.audience),
        generation === "newest"
          ? undefined
          : eq(packageIndexFile.generation, generation === "current" ? packageIndex.generation : generation),
      ),
    )
    .orderBy(desc(packageIndexFile.generation), desc(packageIndexFile.audience))
    .limit(1);
  return row?.file ?? null;
}

/** A file of any generation that is kept, by what it hashes to; null where there is none. */
export async function findIndexFileByDigest(
  db: Reader,
  name: IndexName,
  asked: { digest: "md5" | "sha1" | "sha256" | "sha512"; hash: Buffer; audience: IndexAudience },
): Promise<IndexFileRow | null> {
  const [row] = await db
    .select({ file: packageIndexFile })
    .from(packageIndexFile)
    .innerJoin(packageIndex, eq(packageIndex.id, packageIndexFile.indexId))
    .where(and(isNamed(name), eq(packageIndexFile[asked.digest], asked.hash), audienceOf(asked.audience)))
    .limit(1);
  return row?.file ?? null;
}

/** "insiders" comes after "everyone" in the alphabet, so the greater one is theirs. */
function audienceOf(audience: IndexAudience): SQL {
  return inArray(packageIndexFile.audience, audience === "insiders" ? ["everyone", "insiders"] : ["everyone"]);
}

export async function findKey(
  db: Reader,
  ownerId: number,
  type: PackageType,
): Promise<typeof packageKey.$inferSelect | null> {
  const [row] = await db
    .select()
    .from(packageKey)
    .where(and(eq(packageKey.ownerId, ownerId), eq(packageKey.type, type)));
  return row ?? null;
}

/** The pair that there is now: this one, unless another was there. */
export async function insertKey(
  tx: Transaction,
  columns: typeof packageKey.$inferInsert,
): Promise<typeof packageKey.$inferSelect> {
  const [row] = await tx.insert(packageKey).values(columns).onConflictDoNothing().returning();
  const found = row ?? (await findKey(tx, columns.ownerId, columns.type));
  if (found === null) {
    throw new Error("A pair of keys was there, and then was not");
  }
  return found;
}
