import { and, asc, eq, sql, type SQL } from "drizzle-orm";
import { signInStampSql } from "../../../auth/sign-in-stamp.ts";
import type { Reader, Transaction } from "../../../db/client.ts";
import { blob, blobReference } from "../../../db/schema/blob.ts";
import { twoFactor } from "../../../db/schema/credentials.ts";
import { repositorySize } from "../../../db/schema/lists.ts";
import { sshKey } from "../../../db/schema/keys.ts";
import { accessToken, account } from "../../../db/schema/owners.ts";
import { pullObject } from "../../../db/schema/quota.ts";
import { repository } from "../../../db/schema/repositories.ts";
import { objectsOf } from "./object-queries.ts";
import { repositoryOfStore } from "../wiki-stores/wiki-store.ts";

/** Oids are hexadecimal in JavaScript and bytes in the database. */
const bytesOf = (oid: string): Buffer => Buffer.from(oid, "hex");

/** Which of these objects the repository has, with their sizes in bytes. What only others have is not there. */
export async function findObjects(
  db: Reader,
  repositoryId: number,
  oids: readonly string[],
): Promise<Map<string, number>> {
  if (oids.length === 0) {
    return new Map();
  }
  const wanted = sql`array(select decode(oid, 'hex') from unnest(${sql.param([...oids])}::text[]) as wanted (oid))`;
  const rows = await db
    .select({ oid: sql<string>`encode(${blobReference.sha256}, 'hex')`, bytes: blobReference.bytes })
    .from(blobReference)
    .where(and(objectsOf(repositoryId), sql`${blobReference.sha256} = any(${wanted})`));
  return new Map(rows.map((row) => [row.oid, row.bytes]));
}

/** The size in bytes of an object that the repository has; null for one that it has not. */
export async function findObject(db: Reader, repositoryId: number, oid: string): Promise<number | null> {
  return (await findObjects(db, repositoryId, [oid])).get(oid) ?? null;
}

/** Some of a repository's objects with their sizes in bytes, in the order of their names, beginning after one. */
export async function pageOfObjects(
  db: Reader,
  repositoryId: number,
  afterOid: string,
  size: number,
): Promise<{ oid: string; bytes: number }[]> {
  return db
    .select({ oid: sql<string>`encode(${blobReference.sha256}, 'hex')`, bytes: blobReference.bytes })
    .from(blobReference)
    .where(and(objectsOf(repositoryId), sql`${blobReference.sha256} > decode(${afterOid}, 'hex')`))
    .orderBy(asc(blobReference.sha256))
    .limit(size);
}

/**
 * Gives a repository, or a wiki, an object whose blob has its row, and counts its bytes, once: those of a wiki are its owner's, or of guests,
 * and not part of the repository's size. Returns whether it had not been there. The caller holds the repository's row lock.
 */
export async function linkObject(
  tx: Transaction,
  repositoryId: number,
  oid: string,
  bytes: number,
  byGuest = false,
): Promise<boolean> {
  const linked = await tx
    .insert(blobReference)
    .values({
      kind: "lfs-object",
      sha256: bytesOf(oid),
      ownerId: sql`(select ${repository.ownerId} from ${repository} where ${repository.id} = ${repositoryOfStore(repositoryId)})`,
      subjectId: repositoryId,
      bytes,
      byGuest,
    })
    .onConflictDoNothing()
    .returning({ repositoryId: blobReference.subjectId });
  if (linked.length > 0) {
    await tx
      .update(repositorySize)
      .set({ lfsBytes: sql`${repositorySize.lfsBytes} + ${bytes}` })
      .where(eq(repositorySize.repositoryId, repositoryId));
  }
  return linked.length > 0;
}

/** Gives a new repository the objects of another one, and counts their bytes. */
export async function copyObjects(tx: Transaction, fromId: number, to: { id: number; ownerId: number }): Promise<void> {
  await tx.execute(sql`insert into ${blobReference} (sha256, kind, owner_id, subject_id, bytes)
    select sha256, kind, ${to.ownerId}::bigint, ${to.id}::bigint, bytes from ${blobReference}
    where kind = 'lfs-object' and subject_id = ${fromId} order by sha256`);
  await tx.execute(sql`update ${repositorySize} set lfs_bytes = (
      select coalesce(sum(bytes), 0) from ${blobReference} where kind = 'lfs-object' and subject_id = ${to.id})
    where ${repositorySize.repositoryId} = ${to.id}`);
}

/**
 * Gives a repository some of the objects of another one, and counts the bytes of those that it had not: for its owner, or as those of
 * guests, where the pull request of a number brings them. The caller holds the row of the one that gets them.
 */
export async function linkObjectsOf(
  tx: Transaction,
  fromId: number,
  repositoryId: number,
  oids: readonly string[],
  pullNumber: number | null = null,
): Promise<void> {
  if (oids.length === 0) {
    return;
  }
  // The rows of the blobs first, in the order of locks: who collects them waits, or is waited for.
  await tx.execute(sql`
    with wanted as materialized (
      select blob.sha256, blob.bytes from ${blob} where exists (select 1 from ${blobReference} theirs
          where theirs.kind = 'lfs-object' and theirs.subject_id = ${fromId} and theirs.sha256 = blob.sha256)
        and blob.sha256 = any(array(select decode(oid, 'hex') from unnest(${sql.param([...oids])}::text[]) as asked (oid)))
      order by blob.sha256 for key share of blob),
    linked as (
      insert into ${blobReference} (sha256, kind, owner_id, subject_id, bytes, by_guest)
      select wanted.sha256, 'lfs-object', ${repository.ownerId}, ${repository.id}, wanted.bytes, ${pullNumber !== null}::boolean
      from wanted, ${repository} where ${repository.id} = ${repositoryId}
      on conflict do nothing returning bytes)
      ${pullNumber === null ? sql`` : notedFor(repositoryId, pullNumber)}
    update ${repositorySize} set lfs_bytes = lfs_bytes + added.bytes
    from (select sum(bytes) as bytes from linked) as added
    where ${repositorySize.repositoryId} = ${repositoryId} and added.bytes > 0`);
}

/** Notes the objects that a pull request brings, until it is merged. */
function notedFor(repositoryId: number, pullNumber: number): SQL {
  return sql`, noted as (insert into ${pullObject} (repository_id, number, sha256)
    select ${repositoryId}::bigint, ${pullNumber}::bigint, sha256 from wanted on conflict do nothing)`;
}

/** The hash of an access token by its id; null when it was deleted. */
export async function findTokenHash(db: Reader, id: number): Promise<Uint8Array | null> {
  const [row] = await db.select({ hash: accessToken.hash }).from(accessToken).where(eq(accessToken.id, id));
  return row?.hash ?? null;
}

/** Changes with a user's password and with their second factor; null when the user is gone. */
export async function findSignInStamp(db: Reader, userId: number): Promise<string | null> {
  const [row] = await db
    .select({ stamp: signInStampSql })
    .from(account)
    .leftJoin(twoFactor, eq(twoFactor.userId, account.ownerId))
    .where(eq(account.ownerId, userId));
  return row?.stamp ?? null;
}

/** The fingerprint of an SSH key by its id; null when it was deleted. */
export async function findFingerprint(db: Reader, id: number): Promise<string | null> {
  const [row] = await db.select({ fingerprint: sshKey.fingerprint }).from(sshKey).where(eq(sshKey.id, id));
  return row?.fingerprint ?? null;
}
