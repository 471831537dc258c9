import { BlobMissing, type BlobStore } from "../../blobs/blob-store.ts";

/** Throws BlobMissing for a file that was collected before its row was written, since that came an hour after it. */
export async function demandBlob(store: BlobStore, sha256: string): Promise<void> {
  if ((await store.find(sha256)) === null) {
    throw new BlobMissing(sha256);
  }
}
