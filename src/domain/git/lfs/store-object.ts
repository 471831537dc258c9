import type { RepositoryAccess } from "../../../auth/subject.ts";
import type { StagedBlob } from "../../../blobs/blob-store.ts";
import { publishBlob } from "../blobs/publish-blob.ts";
import type { Doer } from "../../spine/doer.ts";
import { NotFound, RepositoryArchived } from "../../spine/errors.ts";
import { namedRepository } from "../../spine/events/names.ts";
import type { Forge } from "../../spine/forge.ts";
import { lockRepositoryRow } from "../../spine/lock-queries.ts";
import { isGuestOfWiki, namedRepositoryOf } from "../wiki-stores/wiki-store.ts";
import { checkLfsOid } from "./oid.ts";
import type { Work } from "../../spine/work.ts";
import { linkObject } from "./queries.ts";

export interface LfsUpload {
  /** For a wiki, in the shape of a repository. */
  access: RepositoryAccess;
  /** A further check of the doer beside their permit, under the repository's lock. */
  demand?: (work: Work) => Promise<void>;
  oid: string;
  content: AsyncIterable<Uint8Array>;
}

/**
 * Takes an LFS object and gives it to the repository or the wiki; answers its length in bytes. The content is always read and hashed
 * in full, even where the store has it for somebody else: only who has the bytes may link them. What was decided when
 * the request came in is decided again at its end, minutes later perhaps; what is refused then leaves nothing behind.
 * Throws InvalidInput, what BlobStore.stage throws, NotFound, RepositoryArchived, and what `forge.change` throws.
 */
export async function storeObject(forge: Forge, doer: Doer, upload: LfsUpload): Promise<number> {
  checkLfsOid(upload.oid);
  await using blob = await forge.files.blobs.stage(upload.oid, upload.content, {
    bytes: forge.config.lfs.object_limit_bytes,
  });
  await forge.change(doer, { blobs: [blob] }, (work) => link(work, upload, blob));
  return blob.bytes;
}

async function link(work: Work, { access, demand }: LfsUpload, blob: StagedBlob): Promise<void> {
  const { tx } = work;
  const store = access.repository.id;
  const repository = namedRepositoryOf(namedRepository(access));
  const fullName = `${repository.owner.name}/${repository.name}`;
  const locked = await lockRepositoryRow(tx, repository.id);
  if (locked === null) {
    throw new NotFound("repository", fullName);
  }
  if (locked.archivedAt !== null) {
    throw new RepositoryArchived(fullName);
  }
  await work.lookAgainLocked(repository.id);
  await demand?.(work);
  await publishBlob(tx, blob);
  const byGuest = isGuestOfWiki(access);
  if (await linkObject(tx, store, blob.sha256, blob.bytes, byGuest)) {
    work.tell({ kind: "lfs-object.stored", repository, store, byGuest });
  }
}
