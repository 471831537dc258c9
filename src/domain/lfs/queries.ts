import { and, asc, eq, sql } from "drizzle-orm";
import type { Reader, Transaction } from "../../db/client.ts";
import { blob } from "../../db/schema/blob.ts";
import { twoFactor } from "../../db/schema/credentials.ts";
import { lfsObject } from "../../db/schema/lfs.ts";
import { sshKey } from "../../db/schema/keys.ts";
import { accessToken, account } from "../../db/schema/owners.ts";
import { repository } from "../../db/schema/repositories.ts";

/** Oids are hexadecimal in JavaScript and bytes in the database. */
const bytesOf = (oid: string): Buffer => Buffer.from(oid, "hex");

/** Which of these objects the repository has, with their sizes in bytes. What only others have is not there. */
export async function findObjects(db: Reader, repositoryId: number, oids: readonly string[]): Promise<Map<string, number>> {
  if (oids.length === 0) {
    return new Map();
  }
  const wanted = sql`array(select decode(oid, 'hex') from unnest(${sql.param([...oids])}::text[]) as wanted (oid))`;
  const rows = await db
    .select({ oid: sql<string>`encode(${lfsObject.sha256}, 'hex')`, bytes: blob.bytes })
    .from(lfsObject)
    .innerJoin(blob, eq(blob.sha256, lfsObject.sha256))
    .where(and(eq(lfsObject.repositoryId, repositoryId), sql`${lfsObject.sha256} = any(${wanted})`));
  return new Map(rows.map((row) => [row.oid, row.bytes]));
}

/** The size in bytes of an object that the repository has; null for one that it has not. */
export async function findObject(db: Reader, repositoryId: number, oid: string): Promise<number | null> {
  return (await findObjects(db, repositoryId, [oid])).get(oid) ?? null;
}

/** Some of a repository's objects with their sizes in bytes, in the order of their names, beginning after one. */
export async function pageOfObjects(db: Reader, repositoryId: number, afterOid: string, size: number): Promise<{ oid: string; bytes: number }[]> {
  return db
    .select({ oid: sql<string>`encode(${lfsObject.sha256}, 'hex')`, bytes: blob.bytes })
    .from(lfsObject)
    .innerJoin(blob, eq(blob.sha256, lfsObject.sha256))
    .where(and(eq(lfsObject.repositoryId, repositoryId), sql`${lfsObject.sha256} > decode(${afterOid}, 'hex')`))
    .orderBy(asc(lfsObject.sha256))
    .limit(size);
}

/** Gives a repository an object whose blob has its row, and counts its bytes, once. The caller holds the repository's row lock. */
export async function linkObject(tx: Transaction, repositoryId: number, oid: string, bytes: number): Promise<void> {
  const linked = await tx.insert(lfsObject).values({ repositoryId, sha256: bytesOf(oid) }).onConflictDoNothing().returning({ repositoryId: lfsObject.repositoryId });
  if (linked.length > 0) {
    await tx.update(repository).set({ lfsBytes: sql`${repository.lfsBytes} + ${bytes}` }).where(eq(repository.id, repositoryId));
  }
}

/** The hash of an access token by its id; null when it was deleted. */
export async function findTokenHash(db: Reader, id: number): Promise<Uint8Array | null> {
  const [row] = await db.select({ hash: accessToken.hash }).from(accessToken).where(eq(accessToken.id, id));
  return row?.hash ?? null;
}

/** Changes with a user's password and with their second factor; null when the user is gone. */
export async function findSignInStamp(db: Reader, userId: number): Promise<string | null> {
  const stamp = sql<string>`encode(sha256(convert_to(coalesce(${account.passwordHash}, '') || coalesce(${twoFactor.confirmed}, false), 'UTF8')), 'hex')`;
  const [row] = await db.select({ stamp }).from(account).leftJoin(twoFactor, eq(twoFactor.userId, account.ownerId)).where(eq(account.ownerId, userId));
  return row?.stamp ?? null;
}

/** The fingerprint of an SSH key by its id; null when it was deleted. */
export async function findFingerprint(db: Reader, id: number): Promise<string | null> {
  const [row] = await db.select({ fingerprint: sshKey.fingerprint }).from(sshKey).where(eq(sshKey.id, id));
  return row?.fingerprint ?? null;
}
