import type { Forge } from "../domain/spine/forge.ts";
import type { FileRow } from "../domain/packages/queries.ts";
import { beginsDownload } from "./begins-download.ts";
import { contentDisposition } from "./content-type.ts";
import { fileResponse } from "./file-response.ts";
import { notModified } from "./not-modified.ts";

/** Answers with a file of a package, or the part of it that is asked for. Throws BlobMissing and BlobDamaged. */
export async function sendPackageFile(
  forge: Forge,
  request: Request,
  row: FileRow,
  contentType = "application/octet-stream",
): Promise<Response> {
  const sha256 = Buffer.from(row.sha256).toString("hex");
  const { content, size } = await forge.files.contents.get(sha256, row.bytes);
  const headers: Record<string, string> = {
    "content-type": contentType,
    "content-disposition": contentDisposition("application/octet-stream", row.name),
    "cache-control": "private, max-age=300",
    "last-modified": row.createdAt.toUTCString(),
    "x-content-type-options": "nosniff",
  };
  if (beginsDownload(request, sha256, size)) {
    await forge.packageDownloads.count(row.versionId);
  }
  return (
    notModified(request, `"${sha256}"`, headers) ??
    fileResponse(request, { content, size, contentType, etag: sha256, headers }, headers)
  );
}
