import { Elysia, t } from "elysia";
import type { DownloadFormat } from "../../domain/archives/archive-name.ts";
import type { Api } from "../common/api.ts";
import { stream } from "../common/reply.ts";
import { badRequest, notFound } from "../common/responses.ts";
import { readSpreadName, spreadName, undocumented } from "../common/rest-of-path.ts";
import { repositoryParams } from "../common/schema.ts";
import { contentDisposition } from "../../http/content-type.ts";

const octets = "application/octet-stream";
const contentTypes: Readonly<Record<DownloadFormat, string>> = { "tar.gz": "application/gzip", zip: "application/zip", tar: octets, bundle: octets };

function archiveEndpoint({ forge, endpoint }: Api) {
  return endpoint(
    {
      operationId: "repoGetArchive",
      tag: "repository",
      summary: "Get an archive of a branch, tag or commit",
      description: "Its files are in a directory with the repository's name; a bundle has the history instead. The same commit gives the same bytes, as long as neither the server nor the refs that lead to it change.",
      scopes: ["repository"],
      may: { on: "repository", do: "read", unit: "code" },
      params: t.Object({ ...repositoryParams, ...spreadName("archive", "A branch, tag or commit, followed by .tar.gz, .zip, .tar or .bundle") }),
      responses: { 200: { description: "The archive", contentType: octets }, ...badRequest, ...notFound },
    },
    async ({ repository: { repository }, params, signal }) => {
      const archive = await forge.archives.get(repository, readSpreadName(params, "archive"));
      return stream(() => archive.open(signal), contentTypes[archive.format], archive.etag, {
        "content-disposition": contentDisposition(octets, archive.fileName),
        "accept-ranges": "none",
      });
    },
  );
}

export function archiveRoutes(api: Api) {
  const get = archiveEndpoint(api);
  return new Elysia({ prefix: "/repos/:owner/:repo/archive" }).get("/:archive", ...get).get("/*", undocumented(get[0]), get[1]);
}

/** The same outside /api/v1, at the address that the family's web pages have: tools make it up from a repository's address. */
export function archivePageRoutes(api: Api) {
  const [handler, options] = archiveEndpoint(api);
  return new Elysia({ prefix: "/:owner/:repo/archive" }).get("/*", handler, options);
}
