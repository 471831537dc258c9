import type { RepositoryAccess } from "../../../auth/subject.ts";
import {
  attach,
  blobsOf,
  checkAttachment,
  patchedColumns,
  type AttachmentPatch,
  type NewAttachment,
} from "../../repos/attachments/add-attachment.ts";
import { InvalidAttachment } from "../../repos/attachments/errors.ts";
import {
  countOfIssue,
  deleteAttachmentRow,
  findIssueAttachment,
  updateAttachment,
  type AttachmentRow,
  type OnIssue,
} from "../../repos/attachments/queries.ts";
import type { Doer } from "../../spine/doer.ts";
import { NotFound } from "../../spine/errors.ts";
import { namedRepository, type NamedIssue } from "../../spine/events/names.ts";
import type { Forge } from "../../spine/forge.ts";
import { isGuest } from "../issues/access.ts";
import type { Work } from "../../spine/work.ts";
import { lockText, type TextTarget } from "./lock-text.ts";

/** Attaches files that came with a text to what the doer has just written, or may change. Throws as `addFile`. */
export async function attachFiles(
  work: Work,
  access: RepositoryAccess,
  target: TextTarget,
  added: readonly NewAttachment[],
): Promise<void> {
  if (added.length === 0) {
    return;
  }
  const { on, issue } = await lockText(work, access, target);
  for (const one of added) {
    await attachOne(work, access, { on, issue }, one, null);
  }
}

/** Throws InvalidAttachment where there are as many as may be. */
async function attachOne(
  work: Work,
  access: RepositoryAccess,
  { on, issue }: { on: OnIssue; issue: NamedIssue },
  added: NewAttachment,
  createdAt: Date | null,
): Promise<AttachmentRow> {
  const { files } = work.config.attachments;
  if ((await countOfIssue(work.tx, on)) >= files) {
    throw new InvalidAttachment(`There are ${files} files already, and may be no more`);
  }
  const belongs = {
    repositoryId: access.repository.id,
    byGuest: isGuest(access),
    ...on,
    ...(createdAt === null ? {} : { createdAt }),
  };
  const row = await attach(work, belongs, added);
  const { sha256, bytes, byGuest } = row;
  const attachment = { bytes: sha256 === null ? 0 : bytes, byGuest };
  work.tell({ kind: "issue-attachment.added", repository: namedRepository(access), issue, attachment });
  return row;
}

/**
 * Attaches a file to an issue or a comment. `createdAt`: when that was elsewhere, for administrators of the repository. Throws
 * InvalidAttachment (its name or kind, or there are too many), NotFound, Forbidden.
 */
export async function addFile(
  forge: Forge,
  doer: Doer,
  access: RepositoryAccess,
  target: TextTarget,
  added: NewAttachment,
  createdAt: Date | null,
): Promise<AttachmentRow> {
  checkAttachment(forge.config, added);
  return forge.change(doer, { blobs: blobsOf(added) }, async (work) => {
    const found = await lockText(work, access, target);
    if (createdAt !== null) {
      await work.demand({ on: "repository", do: "admin", unit: "any" });
    }
    return attachOne(work, access, found, added, createdAt);
  });
}

/** Renames a file, or says where one elsewhere is. Throws InvalidAttachment, NotFound, Forbidden. */
export async function editFile(
  work: Work,
  access: RepositoryAccess,
  target: TextTarget,
  id: number,
  patch: AttachmentPatch,
): Promise<AttachmentRow> {
  const row = await lockFile(work, access, target, id);
  return updateAttachment(work.tx, id, patchedColumns(work.config, row, patch));
}

/** Deletes a file; its bytes go when nothing else refers to them. Throws NotFound, Forbidden. */
export async function deleteFile(work: Work, access: RepositoryAccess, target: TextTarget, id: number): Promise<void> {
  await lockFile(work, access, target, id);
  await deleteAttachmentRow(work.tx, id);
}

async function lockFile(work: Work, access: RepositoryAccess, target: TextTarget, id: number) {
  const { on } = await lockText(work, access, target);
  const row = await findIssueAttachment(work.tx, on, id);
  if (row === null) {
    throw new NotFound("file", String(id));
  }
  return row;
}
