import type { AttachmentRow } from "../../domain/attachments/queries.ts";

/** A file as the family's Attachment; `address` is where the API serves its bytes. */
export function presentAttachment(row: AttachmentRow, address: string) {
  return {
    browser_download_url: row.externalUrl ?? address,
    created_at: row.createdAt.toISOString(),
    download_count: row.downloads,
    id: row.id,
    name: row.name,
    size: row.bytes,
    type: row.externalUrl === null ? ("attachment" as const) : ("external" as const),
    uuid: row.uuid,
  };
}
