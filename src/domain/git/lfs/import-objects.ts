import type { Dirent } from "node:fs";
import { readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import type { BlobStore, StagedBlob } from "../../../blobs/blob-store.ts";
import type { Transaction } from "../../../db/client.ts";
import { publishBlob } from "../blobs/publish-blob.ts";
import { linkObject } from "./queries.ts";

const objectPath = /^([0-9a-f]{2})\/([0-9a-f]{2})\/\1\2[0-9a-f]{60}$/;

/**
 * Takes copies of the LFS objects that git-lfs keeps below a directory, as `<aa>/<bb>/<oid>`, in the order of their names. Links
 * in it are not followed. Disposing `into` removes those that were not published. Throws what BlobStore.stage throws.
 */
export async function stageObjects(
  store: BlobStore,
  directory: string,
  into: AsyncDisposableStack,
  limits: { bytes: number },
  onProgress: (done: number, total: number) => void,
): Promise<StagedBlob[]> {
  const found = await findObjects(directory);
  const staged: StagedBlob[] = [];
  for (const path of found) {
    staged.push(into.use(await store.stage(basename(path), Bun.file(join(directory, path)).stream(), limits)));
    onProgress(staged.length, found.length);
  }
  return staged;
}

/** Level by level: read as a whole, links to directories would be followed, to other repositories' objects or in circles. */
async function findObjects(directory: string): Promise<string[]> {
  let directories = [""];
  for (let depth = 0; depth < 2; depth++) {
    directories = await below(directory, directories, (entry) => entry.isDirectory());
  }
  return (await below(directory, directories, (entry) => entry.isFile()))
    .filter((path) => objectPath.test(path))
    .sort();
}

async function below(
  root: string,
  directories: readonly string[],
  isWanted: (entry: Dirent) => boolean,
): Promise<string[]> {
  const found: string[] = [];
  for (const path of directories) {
    const entries = await readdir(join(root, path), { withFileTypes: true });
    found.push(...entries.filter(isWanted).map(({ name }) => join(path, name)));
  }
  return found;
}

/** Publishes objects and gives them to a repository, whose row the caller holds; `change` was opened with them. */
export async function linkStaged(tx: Transaction, repositoryId: number, objects: readonly StagedBlob[]): Promise<void> {
  for (const object of objects) {
    await publishBlob(tx, object);
    await linkObject(tx, repositoryId, object.sha256, object.bytes);
  }
}
