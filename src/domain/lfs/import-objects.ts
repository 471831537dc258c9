import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { BlobStore, StagedBlob } from "../../blobs/blob-store.ts";
import type { Transaction } from "../../db/client.ts";
import { publishBlob } from "../blobs/name-blob.ts";
import { linkObject } from "./queries.ts";

const objectName = /^[0-9a-f]{64}$/;

/**
 * Takes copies of the LFS objects that git-lfs keeps below a directory, in the order of their names. Disposing `into`
 * removes those that were not published. Throws what BlobStore.stage throws.
 */
export async function stageObjects(store: BlobStore, directory: string, into: AsyncDisposableStack, limits: { bytes: number }, onProgress: (done: number, total: number) => void): Promise<StagedBlob[]> {
  const found = (await readdir(directory, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile() && objectName.test(entry.name));
  const staged: StagedBlob[] = [];
  for (const { name, parentPath } of found.sort((left, right) => (left.name < right.name ? -1 : 1))) {
    staged.push(into.use(await store.stage(name, Bun.file(join(parentPath, name)).stream(), limits)));
    onProgress(staged.length, found.length);
  }
  return staged;
}

/** Publishes objects and gives them to a repository, whose row the caller holds; see nameBlobs. */
export async function linkStaged(tx: Transaction, repositoryId: number, objects: readonly StagedBlob[]): Promise<void> {
  for (const object of objects) {
    await publishBlob(tx, object);
    await linkObject(tx, repositoryId, object.sha256, object.bytes);
  }
}
