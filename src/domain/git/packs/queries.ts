import { and, asc, count, desc, eq, gt, inArray, isNull, sql, sum, type SQL } from "drizzle-orm";
import type { Database, Reader, Transaction } from "../../../db/client.ts";
import { insertForAWhile } from "../../../db/insert-for-a-while.ts";
import { issue } from "../../../db/schema/issues.ts";
import { owner } from "../../../db/schema/owners.ts";
import { repositorySize } from "../../../db/schema/lists.ts";
import { pullBytes } from "../../../db/schema/quota.ts";
import { gitStore, pack, ref, repository, repositoryPack, wiki } from "../../../db/schema/repositories.ts";
import { publishPack, type StagedPack } from "../../../git/pack/staged-pack.ts";
import { isWikiStore, wikiSuffix } from "../wiki-stores/wiki-store.ts";

const isUnlinked = sql`not exists (select 1 from ${repositoryPack} where ${repositoryPack.packId} = ${pack.id})`;

/** The full name of what refs and packs belong to, in a query over `git_store`, `repository` and `owner`. */
export const storeName = sql<string>`${owner.name} || '/' || ${repository.name} || case when ${gitStore.id} < 0 then '${sql.raw(wikiSuffix)}' else '' end`;

/** The packs of a repository by their checksums, newest first, and the generation they belong to. */
export interface FoundPacks {
  generation: number;
  checksums: string[];
}

/** Prepares the queries for the packs of repositories, or of wikis. */
function prepareFinds(db: Database, of: typeof repository | typeof wiki, prefix: string) {
  // Both have an id and a generation, and no more is read of them.
  const table = of as typeof repository;
  const tips = sql<
    string | null
  >`(select string_agg(encode(tip.oid, 'hex'), ' ') from (select distinct oid from ${ref} where repository_id = ${table.id}) as tip)`;
  const select = (tipsOrNone: SQL<string | null>) =>
    db
      .select({
        generation: table.generation,
        checksums: sql<string[]>`array_remove(array_agg(${pack.checksum} order by ${pack.id} desc), null)`,
        tips: tipsOrNone,
      })
      .from(table)
      .leftJoin(repositoryPack, eq(repositoryPack.repositoryId, table.id))
      .leftJoin(pack, eq(pack.id, repositoryPack.packId))
      .where(eq(table.id, sql.placeholder("repositoryId")))
      .groupBy(table.id);
  const packs = select(sql`null`).prepare(`packs_of_${prefix}`);
  const withTips = select(tips).prepare(`packs_and_tips_of_${prefix}`);
  return { packs, withTips };
}

/** A wiki that nothing was ever written to has no row, and no packs. */
const neverWritten = { generation: 0, checksums: [], tips: null };

function absent(repositoryId: number): typeof neverWritten | null {
  return isWikiStore(repositoryId) ? neverWritten : null;
}

/** Prepares the queries for a repository's packs. */
export function preparePackQueries(db: Database) {
  const ofCode = prepareFinds(db, repository, "repository");
  const ofWikis = prepareFinds(db, wiki, "wiki");
  const finds = (repositoryId: number) => (isWikiStore(repositoryId) ? ofWikis : ofCode);
  return {
    async findPacks(repositoryId: number): Promise<FoundPacks | null> {
      const [row] = await finds(repositoryId).packs.execute({ repositoryId });
      return row ?? absent(repositoryId);
    },
    /** Finds the packs and the oids that the refs point to at that moment, each oid once. */
    async findPacksAndTips(repositoryId: number): Promise<(FoundPacks & { tips: string[] }) | null> {
      const [found] = await finds(repositoryId).withTips.execute({ repositoryId });
      const row = found ?? absent(repositoryId);
      return row === null ? null : { ...row, tips: row.tips?.split(" ") ?? [] };
    },
  };
}

/** Where the bytes of packs are counted: SQL for the table, and for the column that has the id. */
function countOf(repositoryId: number): { table: SQL; id: SQL } {
  return isWikiStore(repositoryId)
    ? { table: sql`${wiki}`, id: sql`${wiki.id}` }
    : { table: sql`${repositorySize}`, id: sql`${repositorySize.repositoryId}` };
}

/** The party that brings packs: a writer of the repository, a guest, or the pull request of a number, which counts as a guest until it is merged. */
type PackBringer = "writer" | "guest" | number;

/**
 * Gives a repository packs, counts their bytes and publishes them. The caller holds the repository's row lock, and
 * opened the unit of work with the packs.
 *
 * A pack's row comes before its files: everybody else who would publish or remove the same pack waits for it until
 * the transaction ends. So the files are durable before the transaction commits, and nobody takes them away in between.
 */
export async function linkPacks(
  tx: Transaction,
  repositoryId: number,
  packs: readonly StagedPack[],
  bringer: PackBringer = "writer",
): Promise<void> {
  if (packs.length > 0) {
    await linkTaken(tx, repositoryId, await takePacks(tx, packs.map(rowOf)), packs, bringer);
  }
}

const rowOf = ({ checksum, objectCount, bytes }: StagedPack): LinkedPack => ({ checksum, objects: objectCount, bytes });

/**
 * Takes the rows of packs for this transaction, and makes those that are not there; answers their ids by their checksums.
 * In the order of the checksums for everybody, in one statement, so that two who have several packs in common do not wait
 * for each other: who takes more than one pack takes all of them here or in lockPacks, once.
 */
async function takePacks(tx: Transaction, packs: readonly LinkedPack[]): Promise<Map<string, number>> {
  const distinct = [...new Map(packs.map((one) => [one.checksum, one])).values()];
  const column = (of: (one: LinkedPack) => string | number) => sql.param(distinct.map(of));
  // The update takes the row's lock, so that nobody removes it before it is linked.
  const rows = await tx.execute<{ id: string; checksum: string }>(sql`
    insert into ${pack} (checksum, objects, bytes)
    select checksum, objects, bytes from unnest(${column(({ checksum }) => checksum)}::text[], ${column(({ objects }) => objects)}::int[], ${column(({ bytes }) => bytes)}::bigint[])
      as one (checksum, objects, bytes) order by checksum collate "C"
    on conflict (checksum) do update set checksum = excluded.checksum, retired_at = null returning id, checksum`);
  return new Map(rows.map(({ id, checksum }) => [checksum, Number(id)]));
}

/** Notes bytes that a pull request brings, until it is merged. */
function notedFor(repositoryId: number, pullNumber: number): SQL {
  return sql`, noted as (insert into ${pullBytes} (repository_id, number, bytes)
    select ${repositoryId}::bigint, ${pullNumber}::bigint, bytes from added where bytes > 0
    on conflict (repository_id, number) do update set bytes = ${pullBytes}.bytes + excluded.bytes)`;
}

/** The rest of linkPacks, for packs whose rows are taken. */
async function linkTaken(
  tx: Transaction,
  repositoryId: number,
  ids: ReadonlyMap<string, number>,
  packs: readonly StagedPack[],
  bringer: PackBringer,
): Promise<void> {
  const column = (of: (one: LinkedPack & { id: number }) => number) =>
    sql.param(packs.map((one) => of({ ...rowOf(one), id: ids.get(one.checksum) ?? 0 })));
  const given = sql`unnest(${column(({ id }) => id)}::bigint[], ${column(({ bytes }) => bytes)}::bigint[]) as one (id, bytes)`;
  const { table, id: countId } = countOf(repositoryId);
  await tx.execute(sql`
    with given as (select distinct id, bytes from ${given}),
      linked as (
        insert into ${repositoryPack} (repository_id, pack_id) select ${repositoryId}::bigint, id from given
        on conflict do nothing returning pack_id),
      added as (select coalesce(sum(given.bytes), 0) as bytes from linked join given on given.id = linked.pack_id)
      ${typeof bringer === "number" ? notedFor(repositoryId, bringer) : sql``}
    update ${table} set git_bytes = git_bytes + added.bytes ${bringer === "writer" ? sql`` : sql`, guest_bytes = guest_bytes + added.bytes`}
    from added where ${countId} = ${repositoryId} and added.bytes > 0`);
  for (const staged of packs) {
    await publishPack(staged);
  }
}

/** A pack of a repository, as maintenance looks at it. */
export interface LinkedPack {
  checksum: string;
  objects: number;
  bytes: number;
}

/**
 * Gives a repository other packs in the place of some that it has: the link is swapped, and packs that no
 * repository has any more are retired. The caller holds the repository's row lock. False, with nothing changed, when one of the
 * old ones is not linked any more.
 */
export async function swapPacks(
  tx: Transaction,
  repositoryId: number,
  old: readonly string[],
  packs: readonly StagedPack[],
): Promise<boolean> {
  // The repository keeps its packs while its row is locked.
  const present = new Map((await listPacks(tx, repositoryId)).map((one) => [one.checksum, one]));
  if (!old.every((checksum) => present.has(checksum))) {
    return false;
  }
  const ids = await takePacks(tx, [...present.values(), ...packs.map(rowOf)]);
  const kept = new Set(packs.map(({ checksum }) => checksum));
  const gone = old.filter((checksum) => !kept.has(checksum)).map((checksum) => ids.get(checksum) ?? 0);
  await linkTaken(tx, repositoryId, ids, packs, "writer");
  if (gone.length > 0) {
    await tx
      .delete(repositoryPack)
      .where(and(eq(repositoryPack.repositoryId, repositoryId), inArray(repositoryPack.packId, gone)));
    await retireUnlinkedPacks(tx, gone);
  }
  const sum = sql`(select coalesce(sum(${pack.bytes}), 0) from ${repositoryPack} join ${pack} on ${pack.id} = ${repositoryPack.packId} where ${repositoryPack.repositoryId} = ${repositoryId})`;
  const { table, id } = countOf(repositoryId);
  const before = [...present.values()].reduce((total, { bytes }) => total + bytes, 0);
  // Bytes that pull requests brought stay theirs, however small they are packed, until they end. Edits of a wiki never do: they shrink with it.
  const ofGuests = isWikiStore(repositoryId)
    ? sql`least(guest_bytes, (guest_bytes::numeric * ${sum} / ${Math.max(1, before)}::bigint)::bigint)`
    : sql`least(guest_bytes, ${sum})`;
  const [after] = await tx.execute<{ bytes: string }>(
    sql`update ${table} set git_bytes = ${sum}, guest_bytes = ${ofGuests} where ${id} = ${repositoryId} returning git_bytes as bytes`,
  );
  await freeGuestBytes(tx, repositoryId, before - Number(after?.bytes ?? before));
  return true;
}

/**
 * Gives back to the share of guests what pull requests brought that are deleted: at most `most` bytes, by which the packs have become smaller, so
 * that the owner never has more than before.
 */
async function freeGuestBytes(tx: Transaction, repositoryId: number, most: number): Promise<void> {
  if (most <= 0) {
    return;
  }
  await tx.execute(sql`
    with gone as (
      select number, least(bytes, greatest(0, ${most}::bigint - (sum(bytes) over (order by number) - bytes)))::bigint as freed
      from ${pullBytes} where repository_id = ${repositoryId} and not exists (
        select from ${issue} where ${issue.repositoryId} = ${repositoryId} and ${issue.number} = ${pullBytes.number})),
    noted as (
      update ${pullBytes} set bytes = ${pullBytes.bytes} - gone.freed from gone
      where ${pullBytes.repositoryId} = ${repositoryId} and ${pullBytes.number} = gone.number)
    update ${repositorySize} set guest_bytes = greatest(0, guest_bytes - total.freed)
    from (select sum(freed)::bigint as freed from gone) as total
    where ${repositorySize.repositoryId} = ${repositoryId} and total.freed > 0`);
  await tx.delete(pullBytes).where(and(eq(pullBytes.repositoryId, repositoryId), eq(pullBytes.bytes, 0)));
}

/**
 * Takes the rows of all packs of repositories and their wikis, whose own rows are locked, for this transaction, so that nobody links one
 * meanwhile; answers their ids. In the order in which takePacks has them.
 */
export async function lockPacks(tx: Transaction, repositoryIds: readonly number[]): Promise<number[]> {
  const theirs = tx
    .select({ id: repositoryPack.packId })
    .from(repositoryPack)
    .innerJoin(gitStore, eq(gitStore.id, repositoryPack.repositoryId))
    .where(sql`${gitStore.repositoryId} = any(${sql.param([...repositoryIds])}::bigint[])`);
  const rows = await tx
    .select({ id: pack.id })
    .from(pack)
    .where(inArray(pack.id, theirs))
    .orderBy(asc(pack.checksum))
    .for("update");
  return rows.map((row) => row.id);
}

/** Notes of those of these packs, whose rows are locked, that no repository has any more that this is so. */
export async function retireUnlinkedPacks(tx: Transaction, ids: readonly number[]): Promise<void> {
  await tx
    .update(pack)
    .set({ retiredAt: sql`now()` })
    .where(and(sql`${pack.id} = any(${sql.param([...ids])}::bigint[])`, isUnlinked));
}

/**
 * Removes packs that were retired longer ago than the grace period in milliseconds: first the files, by `removeFiles`,
 * then the row, in one transaction for each, so that a crash leaves a row whose files are removed again. Who would link the
 * same pack waits for its row, and publishes its files anew. Answers how many went.
 */
export async function removeRetiredPacks(
  db: Database,
  graceMs: number,
  removeFiles: (checksum: string) => Promise<void>,
): Promise<number> {
  const due = sql`${pack.retiredAt} <= now() - ${graceMs}::float8 * interval '1 millisecond'`;
  let removed = 0;
  for (let more = true; more; removed += Number(more)) {
    more = await db.transaction(async (tx) => {
      const [row] = await tx
        .select({ id: pack.id, checksum: pack.checksum })
        .from(pack)
        .where(and(due, isUnlinked))
        .limit(1)
        .for("update", { skipLocked: true });
      // Once more, now that nobody else can link it.
      const [still] =
        row === undefined
          ? []
          : await tx
              .delete(pack)
              .where(and(eq(pack.id, row.id), isUnlinked))
              .returning({ id: pack.id });
      if (row === undefined || still === undefined) {
        return false;
      }
      await removeFiles(row.checksum);
      return true;
    });
  }
  return removed;
}

/** Which of these packs a row refers to. */
export async function knownPacks(db: Reader, checksums: readonly string[]): Promise<Set<string>> {
  const rows =
    checksums.length === 0
      ? []
      : await db
          .select({ checksum: pack.checksum })
          .from(pack)
          .where(sql`${pack.checksum} = any(${sql.param([...checksums])}::text[])`);
  return new Set(rows.map((row) => row.checksum));
}

/** Does something with the files of a pack that no row names, while nobody can come to name it; see `insertForAWhile`. */
export async function whileUnnamed(db: Database, checksum: string, work: () => Promise<void>): Promise<boolean> {
  const row = { checksum, objects: 0, bytes: 0 };
  return insertForAWhile(db, { table: pack, row, is: eq(pack.checksum, checksum) }, work);
}

/** Some of the packs that repositories have, in the order of their ids, beginning after one. */
export async function pageOfPacks(
  db: Reader,
  afterId: number,
  size: number,
): Promise<{ id: number; checksum: string; bytes: number }[]> {
  return db
    .select({ id: pack.id, checksum: pack.checksum, bytes: pack.bytes })
    .from(pack)
    .where(
      and(
        gt(pack.id, afterId),
        sql`exists (select 1 from ${repositoryPack} where ${repositoryPack.packId} = ${pack.id})`,
      ),
    )
    .orderBy(asc(pack.id))
    .limit(size);
}

/** The sum of the bytes of all packs that are not retired. */
export async function sumPackBytes(db: Reader): Promise<number> {
  const [row] = await db
    .select({ value: sum(pack.bytes) })
    .from(pack)
    .where(isNull(pack.retiredAt));
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

/** A pack of a repository, and whether that is a fork and others have the pack, too. */
export interface MaintainedPack extends LinkedPack {
  shared: boolean;
}

/** The packs of a repository with what decides about a repack, newest first. */
export async function listMaintainedPacks(db: Reader, repositoryId: number): Promise<MaintainedPack[]> {
  return db
    .select({
      checksum: pack.checksum,
      objects: pack.objects,
      bytes: pack.bytes,
      shared: sql<boolean>`(${repository.forkOf} is not null
        and exists (select 1 from repository_pack other where other.pack_id = ${pack.id} and other.repository_id <> ${repositoryId}))`,
    })
    .from(repositoryPack)
    .innerJoin(pack, eq(pack.id, repositoryPack.packId))
    .leftJoin(repository, eq(repository.id, repositoryPack.repositoryId))
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

/** The full names of the repositories, and of the wikis, that have a pack. */
export async function findNamesWithPack(db: Reader, packId: number): Promise<string[]> {
  const rows = await db
    .select({ name: storeName })
    .from(repositoryPack)
    .innerJoin(gitStore, eq(gitStore.id, repositoryPack.repositoryId))
    .innerJoin(repository, eq(repository.id, gitStore.repositoryId))
    .innerJoin(owner, eq(owner.id, repository.ownerId))
    .where(eq(repositoryPack.packId, packId))
    .orderBy(asc(owner.name), asc(repository.name));
  return rows.map(({ name }) => name);
}
