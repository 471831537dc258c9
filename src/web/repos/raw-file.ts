import type { OpenedBlob } from "../../blobs/checked-blobs.ts";
import { NotFound } from "../../domain/spine/errors.ts";
import type { FoundFile } from "../../domain/git/contents/content-reader.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import type { RepositoryView } from "../../git/job/repository-view.ts";
import { contentTypeOf } from "../../http/content-type-of.ts";
import { contentDisposition, contentType, sniffedBytes } from "../../http/content-type.ts";
import type { FileReply } from "../../http/file-response.ts";
import { bytesResponse } from "../respond.ts";
import type { Visit } from "../visit.ts";

/**
 * The bytes of a file that was pushed, or those of `stored`, what it stands for in LFS. Throws NotFound where there is no file at the path.
 */
export async function rawFile(
  forge: Forge,
  visit: Visit,
  view: RepositoryView,
  file: FoundFile | null,
  path: string,
  stored: { oid: string; opened: OpenedBlob } | null = null,
): Promise<Response> {
  if (file === null || file.size === null) {
    throw new NotFound("file", path);
  }
  if (stored !== null) {
    const { blob, content, size } = stored.opened;
    const type = contentType(await blob.slice(0, sniffedBytes).bytes(), size);
    return respond(visit, file.name, { content, size, contentType: type, etag: stored.oid });
  }
  const { oid, bytes, size } = file;
  const { signal } = visit.request;
  return respond(visit, file.name, {
    content: bytes ?? ((start, end) => forge.git.engine.stream(view, "readBlob", { oid, start, end }, signal)),
    size,
    contentType: await contentTypeOf(forge, view, file, size),
    etag: oid,
  });
}

/**
 * The bytes must do nothing in a browser: it shows them in a sandbox, or saves them. A drawing (SVG) is told by its name, so that pages and
 * documents can show it as a picture, in which no script runs; by itself it is in the sandbox, too.
 */
function respond(visit: Visit, name: string, reply: Omit<FileReply, "headers">): Promise<Response> {
  const isDrawing = /\.svg$/i.test(name) && reply.contentType.startsWith("text/plain");
  return bytesResponse(visit, {
    ...reply,
    contentType: isDrawing ? "image/svg+xml" : reply.contentType,
    headers: {
      "content-disposition": contentDisposition(reply.contentType, name),
      "content-security-policy": "sandbox; default-src 'none'",
    },
  });
}
