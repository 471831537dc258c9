import { BlobMissing } from "../../blobs/blob-store.ts";
import type { Forge } from "../../domain/forge.ts";
import type { FileRow } from "../../domain/packages/queries.ts";
import { beginsDownload } from "../../http/begins-download.ts";
import { contentDisposition } from "../../http/content-type.ts";
import { fileResponse } from "../../http/file-response.ts";
import { notModified } from "../../http/not-modified.ts";

/** Answers with a file of a package, or the part of it that is asked for. Throws BlobMissing. */
export async function sendPackageFile(
  forge: Forge,
  request: Request,
  row: FileRow,
  contentType = "application/octet-stream",
): Promise<Response> {
  const sha256 = Buffer.from(row.sha256).toString("hex");
  const content = await forge.files.blobs.find(sha256);
  if (content === null || content.size !== row.bytes) {
    throw new BlobMissing(sha256);
  }
  const headers: Record<string, string> = {
    "content-type": contentType,
    "content-disposition": contentDisposition("application/octet-stream", row.name),
    "cache-control": "private, max-age=300",
    "last-modified": row.createdAt.toUTCString(),
    "x-content-type-options": "nosniff",
  };
  if (beginsDownload(request, sha256, content.size)) {
    await forge.packageDownloads.count(row.versionId);
  }
  return (
    notModified(request, `"${sha256}"`, headers) ??
    fileResponse(request, { content, size: content.size, contentType, etag: sha256, headers }, headers)
  );
}
