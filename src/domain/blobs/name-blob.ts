import type { BlobStore, StagedBlob } from "../../blobs/blob-store.ts";
import type { Database, Transaction } from "../../db/client.ts";
import { insertBlob, whileUnknownBlob } from "./queries.ts";

/**
 * Runs a transaction in which publishBlob may be called for this file. Throws what the work throws: if the file was published
 * by then, and no row names it, it is removed at once.
 */
export async function nameBlob<Result>(db: Database, store: BlobStore, blob: StagedBlob, work: (tx: Transaction) => Promise<Result>): Promise<Result> {
  try {
    return await db.transaction(work);
  } catch (error) {
    if (blob.published) {
      // Where this fails, too, as when the database is gone, the file is left to the collector.
      await whileUnknownBlob(db, blob.sha256, () => store.remove(blob.sha256)).catch(() => {});
    }
    throw error;
  }
}

/** Gives a file its row and its place, in a transaction that is to refer to it. The row comes first: see insertBlob. */
export async function publishBlob(tx: Transaction, blob: StagedBlob): Promise<void> {
  await insertBlob(tx, blob.sha256, blob.bytes);
  await blob.publish();
}
