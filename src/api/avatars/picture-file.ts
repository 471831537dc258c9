import type { BlobStore } from "../../blobs/blob-store.ts";
import { pictureType } from "../../domain/avatars/picture-type.ts";
import { file } from "../common/reply.ts";

/** Should a browser ever take a picture for a page, nothing in it runs or loads. */
export const picturePolicy = { "content-security-policy": "default-src 'none'; sandbox" };

/** The answer with an uploaded picture; null when the store has no such file. `sha256` in hexadecimal. */
export async function pictureFile(blobs: BlobStore, sha256: string, cacheControl: string) {
  const content = await blobs.find(sha256);
  if (content === null) {
    return null;
  }
  const contentType = pictureType(await content.slice(0, 12).bytes()) ?? "application/octet-stream";
  return file({
    content,
    size: content.size,
    contentType,
    etag: sha256,
    headers: { "cache-control": cacheControl, ...picturePolicy },
  });
}
