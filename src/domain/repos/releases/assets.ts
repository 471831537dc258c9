import type { RepositoryAccess } from "../../../auth/subject.ts";
import type { Config } from "../../../config/config.ts";
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
  return forge.change(doer, { blobs: blobsOf(added) }, async (work) => {
    const repository = await lockForRelease(work, access);
    await checkRelease(work, repository, releaseId);
    const [row] = await attachAll(work, repository, releaseId, [added]);
    return row!;
  });
}

/** Attaches files in a unit of work that has locked the repository and has their blobs. Throws InvalidAttachment if these are too many. */
async function attachAll(
  work: Work,
  repository: NamedRepository,
  releaseId: number,
  added: readonly NewAttachment[],
): Promise<AttachmentRow[]> {
  const { files } = work.config.attachments;
  if (added.length > 0 && (await countOfRelease(work.tx, releaseId)) + added.length > files) {
    throw new InvalidAttachment(`A release may have ${files} files, and no more`);
  }
  const rows: AttachmentRow[] = [];
  for (const one of added) {
    const row = await attach(work, { repositoryId: repository.id, releaseId }, one);
    work.tell({ kind: "attachment.added", repository, attachment: { bytes: row.sha256 === null ? 0 : row.bytes } });
    rows.push(row);
  }
  return rows;
}

/** What an edit of a release does to its files. */
export interface AssetChanges {
  readonly add: readonly NewAttachment[];
  /** Ids of files that go. */
  readonly remove?: readonly number[];
  readonly edit?: ReadonlyMap<number, AttachmentPatch>;
}

/** Throws InvalidAttachment for a file that cannot be attached. Returns the blobs that the unit of work has to publish. */
export function checkAssets(config: Config, { add }: AssetChanges) {
  for (const one of add) {
    checkAttachment(config, one);
  }
  return { blobs: add.flatMap(blobsOf) };
}

/** Changes the files of a release in a unit of work that has locked the repository and has the blobs of `checkAssets`. Throws InvalidAttachment, NotFound. */
export async function changeAssets(
  work: Work,
  repository: NamedRepository,
  releaseId: number,
  { add, remove = [], edit = new Map() }: AssetChanges,
): Promise<void> {
  const get = (id: number) => getAsset(work, repository, releaseId, id);
  for (const id of remove) {
    await deleteAttachmentRow(work.tx, (await get(id)).id);
  }
  for (const [id, patch] of edit) {
    await updateAttachment(work.tx, id, patchedColumns(work.config, await get(id), patch));
  }
  await attachAll(work, repository, releaseId, add);
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
  return getAsset(work, repository, releaseId, id);
}

async function getAsset({ tx }: Work, repository: NamedRepository, releaseId: number, id: number) {
  const row = await findReleaseAttachment(tx, repository.id, releaseId, id);
  if (row === null) {
    throw new NotFound("file of the release", String(id));
  }
  return row;
}
