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
import { demandWriter, isGuest, unitOf } from "../issues/access.ts";
import { getLockedIssue } from "../issues/edit-issue.ts";
import { namedIssue } from "../issues/named-issue.ts";
import type { Work } from "../../spine/work.ts";
import { lockOwnEntry } from "./write-comment.ts";

/** The place of files: the number of an issue, or the id of a comment. */
export type FileTarget = { number: number } | { commentId: number };

/** Locks what the doer may attach files to: what they wrote themselves, or anything for those who may write. */
async function lockTarget(
  work: Work,
  access: RepositoryAccess,
  target: FileTarget,
): Promise<{ on: OnIssue; issue: NamedIssue }> {
  if ("commentId" in target) {
    const { comment, issue } = await lockOwnEntry(work, access, target.commentId);
    if (comment.kind !== "comment") {
      throw new NotFound("comment", String(target.commentId));
    }
    return { on: { issueId: issue.id, commentId: comment.id }, issue: namedIssue(issue) };
  }
  const row = await getLockedIssue(work, access, target.number);
  if (work.actorId !== null && row.authorId === work.actorId) {
    await work.demand({ on: "repository", do: "participate", unit: unitOf(row) });
  } else {
    await demandWriter(work, access, row);
  }
  return { on: { issueId: row.id, commentId: null }, issue: namedIssue(row) };
}

/**
 * Attaches a file to an issue or a comment. `createdAt`: when that was elsewhere, for administrators of the repository. Throws
 * InvalidAttachment (its name or kind, or there are too many), NotFound, Forbidden.
 */
export async function addFile(
  forge: Forge,
  doer: Doer,
  access: RepositoryAccess,
  target: FileTarget,
  added: NewAttachment,
  createdAt: Date | null,
): Promise<AttachmentRow> {
  checkAttachment(forge.config, added);
  const { files } = forge.config.attachments;
  return forge.change(doer, { blobs: blobsOf(added) }, async (work) => {
    const { on, issue } = await lockTarget(work, access, target);
    if (createdAt !== null) {
      await work.demand({ on: "repository", do: "admin", unit: "any" });
    }
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
  });
}

/** Renames a file, or says where one elsewhere is. Throws InvalidAttachment, NotFound, Forbidden. */
export async function editFile(
  work: Work,
  access: RepositoryAccess,
  target: FileTarget,
  id: number,
  patch: AttachmentPatch,
): Promise<AttachmentRow> {
  const row = await lockFile(work, access, target, id);
  return updateAttachment(work.tx, id, patchedColumns(work.config, row, patch));
}

/** Deletes a file; its bytes go when nothing else refers to them. Throws NotFound, Forbidden. */
export async function deleteFile(work: Work, access: RepositoryAccess, target: FileTarget, id: number): Promise<void> {
  await lockFile(work, access, target, id);
  await deleteAttachmentRow(work.tx, id);
}

async function lockFile(work: Work, access: RepositoryAccess, target: FileTarget, id: number) {
  const { on } = await lockTarget(work, access, target);
  const row = await findIssueAttachment(work.tx, on, id);
  if (row === null) {
    throw new NotFound("file", String(id));
  }
  return row;
}
