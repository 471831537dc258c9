import { t } from "elysia";
import type { RepositoryAccess } from "../../auth/subject.ts";
import type { FoundFile } from "../../domain/git/contents/content-reader.ts";
import { NotFound } from "../../domain/spine/errors.ts";
import { findPointedContent } from "../../domain/git/lfs/find-content.ts";
import type { Revision } from "../../domain/git/refs/revisions.ts";
import { splitSource } from "../../domain/git/refs/split-source.ts";
import type { RepositoryView } from "../../git/job/repository-view.ts";
import type { FileReply } from "../../http/file-response.ts";
import { ByteCache } from "../../lib/byte-cache.ts";
import type { Api } from "../common/api.ts";
import { file } from "../common/reply.ts";
import { contentTypeOf } from "../../http/content-type-of.ts";
import { contentDisposition, contentType, sniffedBytes } from "../../http/content-type.ts";

const typeCacheBytes = 256 * 1024;
const query = {
  ref: t.Optional(t.String({ description: "A branch, tag or commit; the default branch otherwise" })),
};
const filepath = t.String({
  description:
    "Path of the file. Without ref, and if the default branch has no such path, its first segments may be a branch, a tag or a commit",
});

interface Asked {
  repository: RepositoryAccess;
  params: { filepath: string };
  query: { ref?: string };
  signal: AbortSignal;
}

/** Pushed files must not run in a browser: they are shown in a sandbox, or saved. */
function answer(
  name: string,
  reply: { content: FileReply["content"]; size: number; contentType: string; etag: string },
) {
  return file({
    ...reply,
    headers: {
      "content-disposition": contentDisposition(reply.contentType, name),
      "x-content-type-options": "nosniff",
      "content-security-policy": "sandbox; default-src 'none'",
    },
  });
}

/** The bytes of files. */
export function rawRoutes({ forge, group }: Api) {
  const types = new ByteCache<string>(typeCacheBytes);

  async function typeOf(view: RepositoryView, found: FoundFile, size: number): Promise<string> {
    const known = types.get(found.oid);
    if (known !== undefined) {
      return known;
    }
    const type = await contentTypeOf(forge, view, found, size);
    types.set(found.oid, type, 2 * type.length);
    return type;
  }

  async function typeOfBlob(oid: string, content: Blob): Promise<string> {
    const type = types.get(oid) ?? contentType(await content.slice(0, sniffedBytes).bytes(), content.size);
    types.set(oid, type, 2 * type.length);
    return type;
  }

  async function findAt({ view, commit }: Revision, path: string) {
    const found = await forge.git.contents.findFile(view, commit, path);
    return found === null || found.size === null ? null : { view, found, size: found.size };
  }

  /** The file that an address names: by its path, and without `ref` also by `{ref}/{path}`, as CI systems of the family do. Throws NotFound. */
  async function getFile({ repository: { repository }, params: { filepath: path }, query: { ref } }: Asked) {
    const { revisions } = forge.git;
    if (ref) {
      const named = await findAt(await revisions.get(repository, ref), path);
      if (named !== null) {
        return named;
      }
      throw new NotFound("file", path);
    }
    const initial = await revisions.find(repository);
    const asItIs = initial === null ? null : await findAt(initial, path);
    const split = asItIs === null ? await splitSource(path, (name) => revisions.find(repository, name)) : null;
    const found = split === null ? asItIs : await findAt(split.revision, split.path);
    if (found === null) {
      throw new NotFound("file", path);
    }
    return found;
  }

  /** With `followPointers` what a file stands for in LFS, where this repository has it; else the file as it lies in git. */
  async function serve(asked: Asked, followPointers: boolean) {
    const { repository, signal } = asked;
    const { view, found, size } = await getFile(asked);
    const { bytes, oid, name } = found;
    const stored = followPointers ? await findPointedContent(forge, repository.repository.id, found) : null;
    if (stored !== null) {
      return answer(name, {
        content: stored.opened.content,
        size: stored.opened.size,
        contentType: await typeOfBlob(stored.oid, stored.opened.blob),
        etag: stored.oid,
      });
    }
    const content =
      bytes ?? ((start: number, end: number) => forge.git.engine.stream(view, "readBlob", { oid, start, end }, signal));
    return answer(name, { content, size, contentType: await typeOf(view, found, size), etag: oid });
  }

  return group("/repos/:owner/:repo", {
    tag: "repository",
    scopes: ["repository"],
    may: { on: "repository", do: "read", unit: "code" },
  })
    .get(
      "/raw/:filepath+",
      {
        operationId: "repoGetRawFile",
        summary: "Get the bytes of a file",
        params: { filepath },
        query,
        responses: { 200: { description: "The bytes of the file", contentType: "application/octet-stream" } },
      },
      (asked) => serve(asked, false),
    )
    .get(
      "/media/:filepath+",
      {
        operationId: "repoGetRawFileOrLFS",
        summary: "Get the bytes of a file, or of what it stands for in LFS",
        params: { filepath },
        query,
        responses: { 200: { description: "The bytes of the file", contentType: "application/octet-stream" } },
      },
      (asked) => serve(asked, true),
    );
}
