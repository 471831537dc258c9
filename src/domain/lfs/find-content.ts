import { BlobMissing } from "../../blobs/blob-store.ts";
import type { Forge } from "../forge.ts";
import { isLfsOid } from "./oid.ts";
import { findObject } from "./queries.ts";

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
