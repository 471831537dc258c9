import type { BlobStore } from "../../../blobs/blob-store.ts";
import type { Database } from "../../../db/client.ts";
import type { Logger } from "../../../lib/log.ts";
import { collectUnknownFiles, graceMs, type CollectOptions } from "./unknown-files.ts";
import { blobFiles } from "./blob-files.ts";
import { removeRetiredBlobs, retireUnreferredBlobs } from "./queries.ts";

const rowsAtOnce = 1000;

/**
 * Retires blobs that nothing refers to, and removes those that were retired an hour ago, file and row; and what a crash
 * left (see `collectUnknownFiles`). Answers how many files were removed.
 */
export async function collectBlobs(
  db: Database,
  store: BlobStore,
  log: Logger,
  options: CollectOptions = {},
): Promise<number> {
  for (let retired = rowsAtOnce; retired === rowsAtOnce;) {
    options.signal?.throwIfAborted();
    retired = await db.transaction((tx) => retireUnreferredBlobs(tx, rowsAtOnce));
  }
  const removed = await removeRetiredBlobs(db, options.graceMs ?? graceMs, (name) => store.remove(name));
  return removed + (await collectUnknownFiles(blobFiles(db, store), log, options));
}
