import type { BlobStore } from "../../../blobs/blob-store.ts";
import type { Reader } from "../../../db/client.ts";
import { pageOfBlobs } from "./queries.ts";

export interface BlobVerification {
  blobs: number;
  bytes: number;
  /** A sentence for each blob that is missing or damaged. */
  problems: string[];
}

const pageSize = 1000;

/**
 * Looks whether every blob that the database knows is in the store with its length; with `checksums` it reads all of them.
 * `onBytes` is told how many bytes have been looked at.
 */
export async function verifyBlobs(
  db: Reader,
  store: BlobStore,
  options: { checksums: boolean; onBytes: (done: number) => void },
): Promise<BlobVerification> {
  const result: BlobVerification = { blobs: 0, bytes: 0, problems: [] };
  for (
    let page = await pageOfBlobs(db, "", pageSize);
    page.length > 0;
    page = await pageOfBlobs(db, page.at(-1)?.name ?? "", pageSize)
  ) {
    for (const { name, bytes } of page) {
      const problem = await findBlobProblem(store, name, bytes, options.checksums);
      result.blobs++;
      result.bytes += bytes;
      options.onBytes(result.bytes);
      if (problem !== null) {
        result.problems.push(problem);
      }
    }
  }
  return result;
}

/** A sentence about what is wrong with a blob that should have so many bytes; null when nothing is. `checksum`: it is read for that. */
export async function findBlobProblem(
  store: BlobStore,
  name: string,
  bytes: number,
  checksum: boolean,
): Promise<string | null> {
  const file = await store.find(name);
  if (file === null) {
    return `The blob ${name} is missing`;
  }
  if (file.size !== bytes) {
    return `The blob ${name} has ${file.size} bytes instead of ${bytes}`;
  }
  if (checksum) {
    const hasher = new Bun.CryptoHasher("sha256");
    for await (const chunk of file.stream()) {
      hasher.update(chunk);
    }
    const found = hasher.digest("hex");
    return found === name ? null : `The blob ${name} is damaged: its content has the SHA-256 ${found}`;
  }
  return null;
}
