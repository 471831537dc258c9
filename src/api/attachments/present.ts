import type { Static } from "elysia";
import type { Attachment } from "./schema.ts";
import type { Addresses } from "../../domain/spine/addresses.ts";
import type { AttachmentRow } from "../../domain/repos/attachments/queries.ts";
import { presentInstant } from "../common/instants.ts";

/** A file as the family's Attachment; `address` is where the API serves its bytes. */
export function presentAttachment(row: AttachmentRow, address: string): Static<typeof Attachment> {
  return {
    browser_download_url: row.externalUrl ?? address,
    created_at: presentInstant(row.createdAt),
    download_count: row.downloads,
    id: row.id,
    name: row.name,
    size: row.bytes,
    type: row.externalUrl === null ? ("attachment" as const) : ("external" as const),
    uuid: row.uuid,
  };
}

/** A file of an issue with this number, or of one of its comments. */
export function presentIssueFile(
  addresses: Addresses,
  { repository, owner }: { repository: { name: string }; owner: { name: string } },
  number: number,
  row: AttachmentRow,
): Static<typeof Attachment> {
  const of = row.commentId === null ? number : `comments/${row.commentId}`;
  return presentAttachment(
    row,
    addresses.repositoryApi(owner.name, repository.name, `/issues/${of}/assets/${row.id}/content`),
  );
}
