import { publishBlob } from "../../git/blobs/publish-blob.ts";
import type { Config } from "../../../config/config.ts";
import type { Work } from "../../spine/work.ts";
import { checkAttachmentName, checkExternalUrl } from "./attachment-name.ts";
import { InvalidAttachment } from "./errors.ts";
import { isAllowed } from "./file-kind.ts";
import { insertAttachment, type AttachmentColumns, type AttachmentRow } from "./queries.ts";
import type { StagedAttachment } from "./stage-attachment.ts";

/** A file to attach: its content, or its address elsewhere. */
export interface NewAttachment {
  name: string;
  content: StagedAttachment | { externalUrl: string };
}

/** Throws InvalidAttachment for a name that is none, or a kind that is not taken. */
export function checkAttachment({ attachments }: Config, { name, content }: NewAttachment): void {
  checkAttachmentName(name);
  const allowed = attachments.allowed_types;
  if ("kind" in content && !isAllowed(name, content.kind, allowed)) {
    const [type] = content.kind.contentType.split(";");
    throw new InvalidAttachment(`Files such as "${name}" (${type}) are not taken here, only: ${allowed.join(", ")}`);
  }
}

/** The files that a unit of work has to publish for an attachment. */
export function blobsOf({ content }: NewAttachment) {
  return "blob" in content ? [content.blob] : [];
}

/** Attaches a file to what `belongs` says, in a unit of work that has its blobs. */
export async function attach(
  { tx, actorId }: Work,
  belongs: Pick<AttachmentColumns, "repositoryId" | "releaseId" | "issueId" | "commentId" | "createdAt" | "byGuest">,
  { name, content }: NewAttachment,
): Promise<AttachmentRow> {
  const columns = { ...belongs, name, uploaderId: actorId };
  if (!("blob" in content)) {
    return insertAttachment(tx, { ...columns, ...content, bytes: 0, contentType: "" });
  }
  const { blob, kind } = content;
  await publishBlob(tx, blob);
  return insertAttachment(tx, { ...columns, ...kind, sha256: Buffer.from(blob.sha256, "hex"), bytes: blob.bytes });
}

export interface AttachmentPatch {
  name: string | null;
  /** Only for a file elsewhere. */
  externalUrl: string | null;
}

/** The columns of a file with this change. Throws InvalidAttachment. */
export function patchedColumns({ attachments }: Config, row: AttachmentRow, patch: AttachmentPatch) {
  if (patch.externalUrl !== null && row.externalUrl === null) {
    throw new InvalidAttachment(
      "browser_download_url can be changed only of a file that is elsewhere, and this one is here",
    );
  }
  const name = patch.name ?? row.name;
  checkAttachmentName(name);
  const allowed = attachments.allowed_types;
  if (row.sha256 !== null && name !== row.name && !isAllowed(name, row, allowed)) {
    throw new InvalidAttachment(`Files such as "${name}" are not taken here, only: ${allowed.join(", ")}`);
  }
  const externalUrl =
    patch.externalUrl === null ? row.externalUrl : checkExternalUrl("browser_download_url", patch.externalUrl);
  return { name, externalUrl };
}
