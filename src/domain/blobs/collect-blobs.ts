import type { BlobStore } from "../../blobs/blob-store.ts";
import type { Database } from "../../db/client.ts";
import { deleteUnreferredBlobs, knownBlobs, whileUnknownBlob } from "./queries.ts";

/** Who began to read a file before its last row went may open it for so long after it was written. */
const graceMs = 60 * 60_000;
const rowsAtOnce = 1000;

/**
 * Removes blobs that nothing refers to: rows at once, since a row and what refers to it come in one transaction; files
 * an hour after they were written, such as what a crash left. Answers how many files were removed.
 */
export async function collectBlobs(db: Database, store: BlobStore, now: number = Date.now()): Promise<number> {
  for (let deleted = rowsAtOnce; deleted === rowsAtOnce; ) {
    deleted = await db.transaction((tx) => deleteUnreferredBlobs(tx, rowsAtOnce));
  }
  const references = { known: (names: readonly string[]) => knownBlobs(db, names), whileUnknown: (name: string, work: () => Promise<void>) => whileUnknownBlob(db, name, work) };
  return store.collect(references, now - graceMs);
}
