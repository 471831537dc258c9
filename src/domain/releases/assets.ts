import type { RepositoryAccess } from "../../auth/subject.ts";
import { checkAttachmentName, checkExternalUrl } from "../attachments/attachment-name.ts";
import { InvalidAttachment } from "../attachments/errors.ts";
import { isAllowed } from "../attachments/file-kind.ts";
import {
  countOfRelease,
  deleteAttachmentRow,
  findReleaseAttachment,
  insertAttachment,
  updateAttachment,
  type AttachmentRow,
} from "../attachments/queries.ts";
import type { StagedAttachment } from "../attachments/stage-attachment.ts";
import { publishBlob } from "../blobs/publish-blob.ts";
import type { Doer } from "../doer.ts";
import { NotFound } from "../errors.ts";
import type { NamedRepository } from "../events.ts";
import type { Forge } from "../forge.ts";
import type { Work } from "../work.ts";
import { lockForRelease } from "./lock-for-release.ts";
import { findReleaseRow } from "./queries.ts";

/** A file to attach: its content, or its address elsewhere. */
export interface NewAsset {
  name: string;
  content: StagedAttachment | { externalUrl: string };
}

/**
 * Attaches a file to a release. What was decided when the request came in is decided again now that the file is there. Throws
 * InvalidAttachment (its name or kind, or the release has too many), NotFound, RepositoryArchived.
 */
export async function addAsset(
  forge: Forge,
  doer: Doer,
  access: RepositoryAccess,
  releaseId: number,
  { name, content }: NewAsset,
): Promise<AttachmentRow> {
  checkAttachmentName(name);
  const { files, allowed_types: allowed } = forge.config.attachments;
  if ("kind" in content && !isAllowed(name, content.kind, allowed)) {
    const [type] = content.kind.contentType.split(";");
    throw new InvalidAttachment(`Files such as "${name}" (${type}) are not taken here, only: ${allowed.join(", ")}`);
  }
  const blobs = "blob" in content ? [content.blob] : [];
  return forge.change(doer, { blobs }, async (work) => {
    const repository = await lockForRelease(work, access);
    await checkRelease(work, repository, releaseId);
    if ((await countOfRelease(work.tx, releaseId)) >= files) {
      throw new InvalidAttachment(`The release has ${files} files, and may have no more`);
    }
    const belongs = { repositoryId: repository.id, releaseId, uploaderId: work.actorId, name };
    const row =
      "blob" in content
        ? await insertStaged(work, belongs, content)
        : await insertAttachment(work.tx, { ...belongs, ...content, bytes: 0, contentType: "" });
    work.tell({ kind: "attachment.added", repository, attachment: { id: row.id, name }, releaseId });
    return row;
  });
}

async function insertStaged(
  { tx }: Work,
  belongs: { repositoryId: number; releaseId: number; uploaderId: number | null; name: string },
  { blob, kind }: StagedAttachment,
): Promise<AttachmentRow> {
  await publishBlob(tx, blob);
  return insertAttachment(tx, { ...belongs, ...kind, sha256: Buffer.from(blob.sha256, "hex"), bytes: blob.bytes });
}

export interface AssetPatch {
  name: string | null;
  /** Only for a file elsewhere. */
  externalUrl: string | null;
}

/** Renames a file of a release, or says where one elsewhere is. Throws InvalidAttachment, NotFound, RepositoryArchived. */
export async function editAsset(
  work: Work,
  access: RepositoryAccess,
  releaseId: number,
  id: number,
  patch: AssetPatch,
): Promise<AttachmentRow> {
  const { repository, row } = await lockAsset(work, access, releaseId, id);
  if (patch.externalUrl !== null && row.externalUrl === null) {
    throw new InvalidAttachment(
      "browser_download_url can be changed only of a file that is elsewhere, and this one is here",
    );
  }
  const name = patch.name ?? row.name;
  checkAttachmentName(name);
  const allowed = work.config.attachments.allowed_types;
  if (row.sha256 !== null && name !== row.name && !isAllowed(name, row, allowed)) {
    throw new InvalidAttachment(`Files such as "${name}" are not taken here, only: ${allowed.join(", ")}`);
  }
  const externalUrl =
    patch.externalUrl === null ? row.externalUrl : checkExternalUrl("browser_download_url", patch.externalUrl);
  const edited = await updateAttachment(work.tx, id, { name, externalUrl });
  work.tell({ kind: "attachment.edited", repository, attachment: { id, name }, releaseId });
  return edited;
}

/** Deletes a file of a release; its bytes go when nothing else refers to them. Throws NotFound, RepositoryArchived. */
export async function deleteAsset(work: Work, access: RepositoryAccess, releaseId: number, id: number): Promise<void> {
  const { repository, row } = await lockAsset(work, access, releaseId, id);
  await deleteAttachmentRow(work.tx, id);
  work.tell({ kind: "attachment.deleted", repository, attachment: { id, name: row.name }, releaseId });
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
  return { repository, row };
}
