import { downloadCounts } from "../../domain/repos/attachments/download-counts.ts";
import { isShown } from "../../domain/repos/attachments/file-kind.ts";
import type { AttachmentRow } from "../../domain/repos/attachments/queries.ts";
import { NotFound } from "../../domain/spine/errors.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { beginsDownload } from "../../http/begins-download.ts";
import { contentDisposition } from "../../http/content-type.ts";

import { file, type Answer, type Bytes } from "../common/reply.ts";

const octets = "application/octet-stream";

/**
 * Returns the function that answers with the bytes of a file, and counts that. Browsers show it only if it is an image that
 * holds no program; everything else they save. It throws NotFound for a file elsewhere, BlobMissing and BlobDamaged.
 */
export function prepareSendAttachment(
  forge: Forge,
): (request: Request, attachment: AttachmentRow) => Promise<Answer<200, Bytes>> {
  const downloads = downloadCounts(forge);

  return async (request, attachment) => {
    if (attachment.sha256 === null) {
      throw new NotFound("file on this server under this address, only one elsewhere:", attachment.externalUrl ?? "");
    }
    const sha256 = Buffer.from(attachment.sha256).toString("hex");
    const { content, size } = await forge.files.contents.get(sha256, attachment.bytes);
    if (beginsDownload(request, sha256, size)) {
      await downloads.count(attachment.id);
    }
    const { contentType, name } = attachment;
    const shown = isShown(attachment, forge.config.attachments.image_limit_pixels);
    return file({
      content,
      size,
      contentType,
      etag: sha256,
      headers: {
        "content-disposition": contentDisposition(shown ? contentType : octets, name),
        "content-security-policy": "sandbox; default-src 'none'",
        "x-content-type-options": "nosniff",
      },
    });
  };
}
