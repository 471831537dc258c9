import type { BlobStore, StagedBlob } from "../../blobs/blob-store.ts";
import type { Database, Transaction } from "../../db/client.ts";
import { insertBlob, whileUnknownBlob } from "./queries.ts";

/**
 * Runs a transaction in which publishBlob may be called for these files. Throws what the work throws: what was published
 * by then, and no row names, is removed at once. `run` says how, where there is more to a transaction than these files.
 */
export async function nameBlobs<Result>(
  db: Database,
  store: BlobStore,
  blobs: readonly StagedBlob[],
  work: (tx: Transaction) => Promise<Result>,
  run: (work: (tx: Transaction) => Promise<Result>) => Promise<Result> = (inside) => db.transaction(inside),
): Promise<Result> {
  try {
    return await run(work);
  } catch (error) {
    for (const { sha256 } of blobs.filter(({ published }) => published)) {
      // Where this fails, too, as when the database is gone, the files are left to the collector.
      await whileUnknownBlob(db, sha256, () => store.remove(sha256)).catch(() => {});
    }
    throw error;
  }
}

/** Gives a file its row and its place, in a transaction that is to refer to it. The row comes first: see insertBlob. */
export async function publishBlob(tx: Transaction, blob: StagedBlob): Promise<void> {
  await insertBlob(tx, blob.sha256, blob.bytes);
  await blob.publish();
}
