import { mkdir, open } from "node:fs/promises";
import { dirname, join } from "node:path";
import { BlobMismatch, BlobMissing, type BlobStore } from "../../../blobs/blob-store.ts";
import type { Reader } from "../../../db/client.ts";
import { syncDirectory } from "../../../lib/files.ts";
import { listObjects } from "./list-objects.ts";

/**
 * Writes the LFS objects of a repository to `directory`, which is made when there are any, as git-lfs keeps them there:
 * `<aa>/<bb>/<oid>`. Everything is durable when this returns. Answers how many there are. Throws BlobMissing, BlobMismatch.
 */
export async function exportObjects(
  db: Reader,
  store: BlobStore,
  repositoryId: number,
  directory: string,
  onBytes: (bytes: number) => void,
): Promise<number> {
  const made = new Set<string>();
  let count = 0;
  for await (const { oid } of listObjects(db, repositoryId)) {
    const content = await store.find(oid);
    if (content === null) {
      throw new BlobMissing(oid);
    }
    const path = join(directory, oid.slice(0, 2), oid.slice(2, 4), oid);
    await mkdir(dirname(path), { recursive: true });
    made.add(dirname(path)).add(dirname(dirname(path)));
    await copyChecked(content, path, oid, onBytes);
    count++;
  }
  // From the inside out.
  [...made].sort((left, right) => right.length - left.length).forEach(syncDirectory);
  if (count > 0) {
    syncDirectory(directory);
    syncDirectory(dirname(directory));
  }
  return count;
}

async function copyChecked(content: Blob, path: string, oid: string, onBytes: (bytes: number) => void): Promise<void> {
  const hasher = new Bun.CryptoHasher("sha256");
  await using target = await open(path, "wx", 0o444);
  for await (const chunk of content.stream()) {
    hasher.update(chunk);
    await target.writeFile(chunk);
    onBytes(chunk.length);
  }
  const found = hasher.digest("hex");
  if (found !== oid) {
    throw new BlobMismatch(oid, found);
  }
  await target.sync();
}
