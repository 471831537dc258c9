import { asc, eq, isNull, sql, sum } from "drizzle-orm";
import type { Database, Reader, Transaction } from "../../../db/client.ts";
import { insertForAWhile } from "../../../db/insert-for-a-while.ts";
import { blob, blobReference } from "../../../db/schema/blob.ts";

/** Whether anything refers to the blob. */
const isReferred = sql`exists (select 1 from ${blobReference} where ${blobReference.sha256} = ${blob.sha256})`;

/**
 * Notes a file that is about to be published. Nobody removes the row before this transaction has linked it; who would publish
 * or remove the same file waits until it ends.
 */
export async function insertBlob(tx: Transaction, sha256: string, bytes: number): Promise<void> {
  const value = Buffer.from(sha256, "hex");
  await tx
    .insert(blob)
    .values({ sha256: value, bytes })
    .onConflictDoUpdate({ target: blob.sha256, set: { sha256: value, retiredAt: null } });
}

/** Which of these files a row refers to. */
export async function knownBlobs(db: Reader, names: readonly string[]): Promise<Set<string>> {
  if (names.length === 0) {
    return new Set();
  }
  const wanted = sql`array(select decode(name, 'hex') from unnest(${sql.param([...names])}::text[]) as wanted (name))`;
  const rows = await db
    .select({ name: sql<string>`encode(${blob.sha256}, 'hex')` })
    .from(blob)
    .where(sql`${blob.sha256} = any(${wanted})`);
  return new Set(rows.map((row) => row.name));
}

/** Does something with a file that no row names, while nobody can come to name it; see `insertForAWhile`. */
export async function whileUnknownBlob(db: Database, name: string, work: () => Promise<void>): Promise<boolean> {
  const sha256 = Buffer.from(name, "hex");
  return insertForAWhile(db, { table: blob, row: { sha256, bytes: 0 }, is: eq(blob.sha256, sha256) }, work);
}

/**
 * Marks up to `limit` unreferenced blobs as retired, and returns how many it marked. It locks the rows and checks them
 * again: a transaction that links a blob holds the row's lock until the link exists.
 */
export async function retireUnreferredBlobs(tx: Transaction, limit: number): Promise<number> {
  const rows = await tx
    .select({ name: sql<string>`encode(${blob.sha256}, 'hex')` })
    .from(blob)
    .where(sql`${blob.retiredAt} is null and not ${isReferred}`)
    .limit(limit)
    .for("update", { skipLocked: true });
  const names = sql.param(rows.map((row) => row.name));
  const retired = await tx
    .update(blob)
    .set({ retiredAt: sql`now()` })
    .where(
      sql`${blob.sha256} = any(array(select decode(name, 'hex') from unnest(${names}::text[]) as locked (name))) and not ${isReferred}`,
    )
    .returning({ bytes: blob.bytes });
  return retired.length;
}

/**
 * Removes blobs that were retired longer ago than the grace period in milliseconds: first the file, by `removeFile`, then
 * the row, in one transaction for each, so that a crash leaves a row whose file is removed again. Who would link or publish
 * the same blob waits for its row. Answers how many went.
 */
export async function removeRetiredBlobs(
  db: Database,
  graceMs: number,
  removeFile: (name: string) => Promise<void>,
): Promise<number> {
  const due = sql`${blob.retiredAt} <= now() - ${graceMs}::float8 * interval '1 millisecond'`;
  let removed = 0;
  for (let more = true; more; removed += Number(more)) {
    more = await db.transaction(async (tx) => {
      const [row] = await tx
        .select({ sha256: blob.sha256, name: sql<string>`encode(${blob.sha256}, 'hex')` })
        .from(blob)
        .where(sql`${due} and not ${isReferred}`)
        .limit(1)
        .for("update", { skipLocked: true });
      // Once more, now that nobody else can link it.
      const [still] =
        row === undefined
          ? []
          : await tx
              .delete(blob)
              .where(sql`${eq(blob.sha256, row.sha256)} and not ${isReferred}`)
              .returning({ bytes: blob.bytes });
      if (row === undefined || still === undefined) {
        return false;
      }
      await removeFile(row.name);
      return true;
    });
  }
  return removed;
}

/** Some of the blobs that are not retired, in the order of their names, beginning after one. */
export async function pageOfBlobs(
  db: Reader,
  afterName: string,
  size: number,
): Promise<{ name: string; bytes: number }[]> {
  return db
    .select({ name: sql<string>`encode(${blob.sha256}, 'hex')`, bytes: blob.bytes })
    .from(blob)
    .where(sql`${blob.sha256} > decode(${afterName}, 'hex') and ${blob.retiredAt} is null`)
    .orderBy(asc(blob.sha256))
    .limit(size);
}

/** The sum of the bytes of all blobs that are not retired. */
export async function sumBlobBytes(db: Reader): Promise<number> {
  const [row] = await db
    .select({ value: sum(blob.bytes) })
    .from(blob)
    .where(isNull(blob.retiredAt));
  return Number(row?.value ?? 0);
}
