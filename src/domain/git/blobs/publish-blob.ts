import type { StagedBlob } from "../../../blobs/blob-store.ts";
import type { Transaction } from "../../../db/client.ts";
import { insertBlob } from "./queries.ts";

/**
 * Gives a file its row and its place, in a transaction that is to refer to it; `forge.change` was opened with the file. The
 * row comes first: see insertBlob.
 */
export async function publishBlob(tx: Transaction, blob: StagedBlob): Promise<void> {
  await insertBlob(tx, blob.sha256, blob.bytes);
  await blob.publish();
}
