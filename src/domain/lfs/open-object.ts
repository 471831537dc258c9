import { BlobMissing } from "../../blobs/blob-store.ts";
import type { Forge } from "../forge.ts";
import { isLfsOid } from "./oid.ts";
import { findObject } from "./queries.ts";

export interface LfsObject {
  /** Its length. */
  bytes: number;
  /** The bytes from `start` up to `end`. */
  read(start: number, end: number): Promise<ReadableStream<Uint8Array>>;
}

/** An LFS object that the repository has; null for any other, whoever else has it. Throws BlobMissing where the store has lost it. */
export async function openObject(forge: Forge, repositoryId: number, oid: string): Promise<LfsObject | null> {
  const bytes = isLfsOid(oid) ? await findObject(forge.database.db, repositoryId, oid) : null;
  if (bytes === null) {
    return null;
  }
  if ((await forge.blobs.find(oid)) !== bytes) {
    throw new BlobMissing(oid);
  }
  return { bytes, read: (start, end) => forge.blobs.read(oid, start, end) };
}
