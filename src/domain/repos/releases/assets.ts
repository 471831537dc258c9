import type { RepositoryAccess } from "../../../auth/subject.ts";
import {
  attach,
  blobsOf,
  checkAttachment,
  patchedColumns,
  type AttachmentPatch,
  type NewAttachment,
} from "../attachments/add-attachment.ts";
import { InvalidAttachment } from "../attachments/errors.ts";
import {
  countOfRelease,
  deleteAttachmentRow,
  findReleaseAttachment,
  updateAttachment,
  type AttachmentRow,
} from "../attachments/queries.ts";
import type { Doer } from "../../spine/doer.ts";
import { NotFound } from "../../spine/errors.ts";
import type { NamedRepository } from "../../spine/events/names.ts";
import type { Forge } from "../../spine/forge.ts";
import type { Work } from "../../spine/work.ts";
import { lockForRelease } from "./lock-for-release.ts";
import { findReleaseRow } from "./queries.ts";

/**
 * Attaches a file to a release. What was decided when the request came in is decided again now that the file is there. Throws
 * InvalidAttachment (its name or kind, or the release has too many), NotFound, RepositoryArchived.
 */
export async function addAsset(
  forge: Forge,
  doer: Doer,
  access: RepositoryAccess,
  releaseId: number,
  added: NewAttachment,
): Promise<AttachmentRow> {
  checkAttachment(forge.config, added);
  const { files } = forge.config.attachments;
  return forge.change(doer, { blobs: blobsOf(added) }, async (work) => {
    const repository = await lockForRelease(work, access);
    await checkRelease(work, repository, releaseId);
    if ((await countOfRelease(work.tx, releaseId)) >= files) {
      throw new InvalidAttachment(`The release has ${files} files, and may have no more`);
    }
    const row = await attach(work, { repositoryId: repository.id, releaseId }, added);
    work.tell({ kind: "attachment.added", repository, attachment: { bytes: row.sha256 === null ? 0 : row.bytes } });
    return row;
  });
}

/** Renames a file of a release, or says where one elsewhere is. Throws InvalidAttachment, NotFound, RepositoryArchived. */
export async function editAsset(
  work: Work,
  access: RepositoryAccess,
  releaseId: number,
  id: number,
  patch: AttachmentPatch,
): Promise<AttachmentRow> {
  const row = await lockAsset(work, access, releaseId, id);
  return updateAttachment(work.tx, id, patchedColumns(work.config, row, patch));
}

/** Deletes a file of a release; its bytes go when nothing else refers to them. Throws NotFound, RepositoryArchived. */
export async function deleteAsset(work: Work, access: RepositoryAccess, releaseId: number, id: number): Promise<void> {
  await lockAsset(work, access, releaseId, id);
  await deleteAttachmentRow(work.tx, id);
}

async function checkRelease({ tx }: Work, repository: NamedRepository, id: number): Promise<void> {
  if ((await findReleaseRow(tx, repository.id, { id })) === null) {
    throw new NotFound("release", String(id));
  }
}

async function lockAsset(work: Work, access: RepositoryAccess, releaseId: number, id: number) {
  const repository = await lockForRelease(work, access);
  await checkRelease(work, repository, releaseId);
  const row = await findReleaseAttachment(work.tx, repository.id, releaseId, id);
  if (row === null) {
    throw new NotFound("file of the release", String(id));
  }
  return row;
}
