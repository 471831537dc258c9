import { Elysia, t } from "elysia";
import type { DownloadFormat } from "../../domain/git/archives/archive-name.ts";
import type { Archive } from "../../domain/git/archives/archives.ts";
import { prepareCountArchive, type CountArchive } from "../../domain/git/archives/count-downloads.ts";
import type { Api } from "../common/api.ts";
import { stream } from "../common/reply.ts";
import { contentDisposition } from "../../http/content-type.ts";

const octets = "application/octet-stream";
const contentTypes: Readonly<Record<DownloadFormat, string>> = {
  "tar.gz": "application/gzip",
  zip: "application/zip",
  tar: octets,
  bundle: octets,
};

/** The family's words for formats in addresses that name the format first. */
const balls = [
  ["tarball", "tar.gz", "repoGetTarball"],
  ["zipball", "zip", "repoGetZipball"],
  ["bundle", "bundle", "repoGetBundle"],
] as const;

/** Whether a request begins a download that the client has not got already. */
function isDownload({ method, headers }: Request, { etag }: Archive): boolean {
  return method === "GET" && headers.get("if-none-match")?.includes(etag) !== true;
}

async function send(count: CountArchive, repositoryId: number, request: Request, archive: Archive) {
  if (isDownload(request, archive)) {
    await count(repositoryId, archive);
  }
  return stream(() => archive.open(request.signal), contentTypes[archive.format], archive.etag, {
    "content-disposition": contentDisposition(octets, archive.fileName),
    "accept-ranges": "none",
  });
}

function archivesAt(prefix: "/repos/:owner/:repo/archive" | "/:owner/:repo/archive", { forge, group }: Api) {
  const count = prepareCountArchive(forge);

  return group(prefix, {
    tag: "repository",
    scopes: ["repository"],
    may: { on: "repository", do: "read", unit: "code" },
  }).get(
    "/:archive+",
    {
      operationId: "repoGetArchive",
      summary: "Get an archive of a branch, tag or commit",
      description:
        "Its files are in a directory with the repository's name; a bundle has the history instead. The same commit gives the same bytes, as long as neither the server nor the refs that lead to it change.",
      params: {
        archive: t.String({ description: "A branch, tag or commit, followed by .tar.gz, .zip, .tar or .bundle" }),
      },
      responses: { 200: { description: "The archive", contentType: octets } },
    },
    async ({ repository: { repository }, params, request }) =>
      send(count, repository.id, request, await forge.git.archives.get(repository, params.archive)),
  );
}

export function archiveRoutes(api: Api) {
  return archivesAt("/repos/:owner/:repo/archive", api);
}

/** Archives at addresses that name the format first. */
export function ballRoutes({ forge, group }: Api) {
  const count = prepareCountArchive(forge);
  const routes = group("/repos/:owner/:repo", {
    tag: "repository",
    scopes: ["repository"],
    may: { on: "repository", do: "read", unit: "code" },
    params: { filepath: t.String({ description: "A branch, tag or commit" }) },
  });
  for (const [word, format, operationId] of balls) {
    routes.get(
      `/${word}/:filepath+`,
      {
        operationId,
        summary: `Get a ${format} archive of a branch, tag or commit`,
        responses: { 200: { description: "The archive", contentType: octets } },
      },
      async ({ repository: { repository }, params, request }) =>
        send(count, repository.id, request, await forge.git.archives.getAs(repository, params.filepath, format)),
    );
  }
  return routes;
}

/**
 * Archives outside /api/v1, at the address of the family's web pages, which tools build from a repository's address.
 */
export function archivePageRoutes(api: Api) {
  return archivesAt("/:owner/:repo/archive", api).addTo(new Elysia());
}
