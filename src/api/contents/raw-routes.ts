import { Elysia, t } from "elysia";
import type { RepositoryAccess } from "../../auth/subject.ts";
import type { FoundFile } from "../../domain/contents/content-reader.ts";
import { NotFound } from "../../domain/errors.ts";
import type { RepositoryView } from "../../git/workers/repository-view.ts";
import { ByteCache } from "../../lib/byte-cache.ts";
import type { Api } from "../common/api.ts";
import { file } from "../common/reply.ts";
import { notFound } from "../common/responses.ts";
import { repositoryParams } from "../common/schema.ts";
import { contentDisposition, contentType, sniffedBytes } from "./content-type.ts";

const typeCacheBytes = 256 * 1024;
const params = t.Object({ ...repositoryParams, "*": t.String({ description: "Path of the file" }) });
const query = t.Object({ ref: t.Optional(t.String({ description: "A branch, tag or commit; the default branch otherwise" })) });
const responses = { 200: { description: "The bytes of the file", contentType: "application/octet-stream" }, ...notFound };

/** The bytes of files. */
export function rawRoutes({ forge, endpoint }: Api) {
  const types = new ByteCache<string>(typeCacheBytes);

  async function readHead(view: RepositoryView, oid: string): Promise<Uint8Array> {
    const chunks: Uint8Array[] = [];
    for await (const chunk of forge.git.stream(view, "readBlob", { oid, start: 0, end: sniffedBytes })) {
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  }

  async function typeOf(view: RepositoryView, found: FoundFile, size: number): Promise<string> {
    const known = types.get(found.oid);
    if (known !== undefined) {
      return known;
    }
    const type = contentType(found.bytes?.subarray(0, sniffedBytes) ?? (await readHead(view, found.oid)), size);
    types.set(found.oid, type, 2 * type.length);
    return type;
  }

  async function serve({ repository, params, query, signal }: { repository: RepositoryAccess; params: { "*": string }; query: { ref?: string }; signal: AbortSignal }) {
    const path = params["*"];
    const { view, commit } = await forge.revisions.get(repository.repository, query.ref);
    const found = await forge.contents.findFile(view, commit, path);
    if (found === null || found.size === null) {
      throw new NotFound("file", path);
    }
    const { bytes, oid, size, name } = found;
    const type = await typeOf(view, found, size);
    return file({
      content: bytes ?? ((start, end) => forge.git.stream(view, "readBlob", { oid, start, end }, signal)),
      size,
      contentType: type,
      etag: oid,
      headers: {
        "content-disposition": contentDisposition(type, name),
        "x-content-type-options": "nosniff",
        "content-security-policy": "sandbox; default-src 'none'",
      },
    });
  }

  return new Elysia({ prefix: "/repos/:owner/:repo" })
    .get(
      "/raw/*",
      ...endpoint(
        {
          operationId: "repoGetRawFile",
          tag: "repository",
          summary: "Get the bytes of a file",
          scopes: ["repository"],
          may: { on: "repository", do: "read", unit: "code" },
          params,
          query,
          responses,
        },
        serve,
      ),
    )
    .get(
      "/media/*",
      ...endpoint(
        {
          operationId: "repoGetRawFileOrLFS",
          tag: "repository",
          summary: "Get the bytes of a file, or of what it stands for in LFS",
          scopes: ["repository"],
          may: { on: "repository", do: "read", unit: "code" },
          params,
          query,
          responses,
        },
        serve,
      ),
    );
}
