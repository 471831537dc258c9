import type { Actor, Credential, RepositoryAccess } from "../../auth/subject.ts";
import type { Transaction } from "../../db/client.ts";
import { accessModes } from "../../db/schema/owners.ts";
import type { StagedBlob } from "../../blobs/blob-store.ts";
import { nameBlobs, publishBlob } from "../blobs/name-blob.ts";
import { Forbidden, NotFound, RepositoryArchived } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { hasAccess, mayDeploy } from "../refs/queries.ts";
import { lockRepositoryRow } from "../repos/queries.ts";
import { checkLfsOid } from "./oid.ts";
import { linkObject } from "./queries.ts";

export interface LfsUpload {
  access: RepositoryAccess;
  actor: Actor | null;
  credential: Credential;
  oid: string;
  content: AsyncIterable<Uint8Array>;
}

/**
 * Takes an LFS object and gives it to the repository; answers its length in bytes. The content is always read and hashed
 * in full, even where the store has it for somebody else: only who has the bytes may link them. What was decided when
 * the request came in is decided again at its end, minutes later perhaps; what is refused then leaves nothing behind.
 * Throws InvalidInput, what BlobStore.stage throws, and NotFound, RepositoryArchived and Forbidden.
 */
export async function storeObject(forge: Forge, upload: LfsUpload): Promise<number> {
  checkLfsOid(upload.oid);
  await using blob = await forge.blobs.stage(upload.oid, upload.content, { bytes: forge.config.lfs.object_limit_bytes });
  await nameBlobs(forge.database.db, forge.blobs, [blob], (tx) => link(tx, upload, blob));
  return blob.bytes;
}

async function link(tx: Transaction, { access, actor, credential }: LfsUpload, blob: StagedBlob): Promise<void> {
  const { id, name } = access.repository;
  const repository = await lockRepositoryRow(tx, id);
  if (repository === null) {
    throw new NotFound("repository", name);
  }
  if (repository.archivedAt !== null) {
    throw new RepositoryArchived(name);
  }
  const userMay = actor !== null && (await hasAccess(tx, id, actor.id, accessModes.write));
  const keyMay = credential.kind === "deploy-key" && credential.deployKeyId !== null && (await mayDeploy(tx, id, credential.deployKeyId));
  if (!userMay && !keyMay) {
    throw new Forbidden(`You may no longer write to the repository "${name}"`);
  }
  await publishBlob(tx, blob);
  await linkObject(tx, id, blob.sha256, blob.bytes);
}
