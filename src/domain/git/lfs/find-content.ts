import type { OpenedBlob } from "../../../blobs/checked-blobs.ts";
import type { Forge } from "../../spine/forge.ts";
import { isLfsOid } from "./oid.ts";
import { parsePointer } from "./pointer.ts";
import { findObject } from "./queries.ts";

/** Returns the LFS object that a file points to, if the repository has it; null for other files. Throws BlobMissing and BlobDamaged. */
export async function findPointedContent(
  forge: Forge,
  repositoryId: number,
  { bytes }: { bytes: Uint8Array | null },
): Promise<{ oid: string; opened: OpenedBlob } | null> {
  const pointer = forge.config.lfs.enabled && bytes !== null ? parsePointer(bytes) : null;
  const opened = pointer === null ? null : await findContent(forge, repositoryId, pointer.oid);
  return pointer === null || opened === null ? null : { oid: pointer.oid, opened };
}

/** Returns an LFS object that the repository has; null for any other, also if another repository has it. Throws BlobMissing and BlobDamaged. */
export async function findContent(forge: Forge, repositoryId: number, oid: string): Promise<OpenedBlob | null> {
  const bytes = isLfsOid(oid) ? await findObject(forge.database.db, repositoryId, oid) : null;
  return bytes === null ? null : forge.files.contents.get(oid, bytes);
}
