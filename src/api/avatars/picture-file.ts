import type { CheckedBlobs } from "../../blobs/checked-blobs.ts";
import { pictureType } from "../../domain/identity/avatars/picture-type.ts";
import { file } from "../common/reply.ts";

/** Should a browser ever take a picture for a page, nothing in it runs or loads. */
export const picturePolicy = { "content-security-policy": "default-src 'none'; sandbox" };

/** The answer with an uploaded picture; null when the store has no such file. `sha256` in hexadecimal. Throws BlobDamaged. */
export async function pictureFile(blobs: CheckedBlobs, sha256: string, cacheControl: string) {
  const found = await blobs.find(sha256, null);
  if (found === null) {
    return null;
  }
  const { blob, content, size } = found;
  const contentType = pictureType(await blob.slice(0, 12).bytes()) ?? "application/octet-stream";
  return file({
    content,
    size,
    contentType,
    etag: sha256,
    headers: { "cache-control": cacheControl, ...picturePolicy },
  });
}
