import { NotFound } from "../../domain/errors.ts";
import type { FoundFile } from "../../domain/contents/content-reader.ts";
import type { Forge } from "../../domain/forge.ts";
import type { RepositoryView } from "../../git/job/repository-view.ts";
import { contentTypeOf } from "../../http/content-type-of.ts";
import { contentDisposition } from "../../http/content-type.ts";
import { fileResponse } from "../../http/file-response.ts";
import { cachingOf } from "../respond.ts";
import type { Visit } from "../visit.ts";

/**
 * The bytes of a file that was pushed. They must do nothing in a browser: it shows them in a sandbox, or saves them.
 * Throws NotFound where there is no file at the path.
 */
export async function rawFile(
  forge: Forge,
  visit: Visit,
  view: RepositoryView,
  file: FoundFile | null,
  path: string,
): Promise<Response> {
  if (file === null || file.size === null) {
    throw new NotFound("file", path);
  }
  const { oid, bytes, size, name } = file;
  const type = await contentTypeOf(forge, view, file, size);
  const { signal } = visit.request;
  return fileResponse(
    visit.request,
    {
      content: bytes ?? ((start, end) => forge.git.engine.stream(view, "readBlob", { oid, start, end }, signal)),
      size,
      contentType: type,
      etag: oid,
      headers: {},
    },
    {
      "content-type": type,
      "content-disposition": contentDisposition(type, name),
      "content-security-policy": "sandbox; default-src 'none'",
      "x-content-type-options": "nosniff",
      ...cachingOf(visit.isPrivate),
    },
  );
}
