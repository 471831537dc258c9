import { BlobMissing } from "../../blobs/blob-store.ts";
import type { Forge } from "../forge.ts";
import { isLfsOid } from "./oid.ts";
import { parsePointer } from "./pointer.ts";
import { findObject } from "./queries.ts";

/** What a file of a repository stands for in LFS, if the repository has it; null for other files. Throws BlobMissing where the store has lost it. */
export async function findPointedContent(
  forge: Forge,
  repositoryId: number,
  { bytes }: { bytes: Uint8Array | null },
): Promise<{ oid: string; content: Blob } | null> {
  const pointer = forge.config.lfs.enabled && bytes !== null ? parsePointer(bytes) : null;
  const content = pointer === null ? null : await findContent(forge, repositoryId, pointer.oid);
  return pointer === null || content === null ? null : { oid: pointer.oid, content };
}

/** An LFS object that the repository has; null for any other, whoever else has it. Throws BlobMissing where the store has lost it. */
export async function findContent(forge: Forge, repositoryId: number, oid: string): Promise<Blob | null> {
  const bytes = isLfsOid(oid) ? await findObject(forge.database.db, repositoryId, oid) : null;
  if (bytes === null) {
    return null;
  }
  const content = await forge.files.blobs.find(oid);
  if (content === null || content.size !== bytes) {
    throw new BlobMissing(oid);
  }
  return content;
}
