import { t } from "elysia";
import type { RepositoryAccess } from "../../auth/subject.ts";
import { addArtifact, deleteArtifact } from "../../domain/repos/artifacts/edit-artifact.ts";
import { findArtifact, listArtifacts, type ArtifactRow } from "../../domain/repos/artifacts/queries.ts";
import { NotFound } from "../../domain/spine/errors.ts";
import { contentDisposition } from "../../http/content-type.ts";
import { prepareReceiveUpload } from "../attachments/receive-upload.ts";
import { UploadForm } from "../attachments/schema.ts";
import type { Api } from "../common/api.ts";
import { presentInstant } from "../common/instants.ts";
import { paged, readPage } from "../common/paging.ts";
import { created, empty, file } from "../common/reply.ts";
import { conflict, done, made, ok } from "../common/responses.ts";
import { integer, pagingQuery, rowId } from "../common/schema.ts";
import { Artifact, ArtifactList } from "./schema.ts";

const octets = "application/octet-stream";
const nameQuery = t.Optional(t.String({ maxLength: 255, description: "Only the artifacts of this name" }));

/** Files of workflow runs. This server runs none itself, so an uploader names the run by a number. */
export function artifactRoutes({ forge, group }: Api) {
  const { addresses, database } = forge;
  const receive = prepareReceiveUpload(forge);
  const write = { on: "repository", do: "write", unit: "code" } as const;

  const presenter =
    ({ owner, repository }: RepositoryAccess) =>
    (row: ArtifactRow) => {
      const url = addresses.artifactApi(owner.name, repository.name, row.id);
      return {
        id: row.id,
        name: row.name,
        run_number: row.runNumber,
        size_in_bytes: row.bytes,
        digest: `sha256:${Buffer.from(row.sha256).toString("hex")}`,
        url,
        download_url: `${url}/content`,
        created_at: presentInstant(row.createdAt),
      };
    };

  interface Listing {
    request: Request;
    repository: RepositoryAccess;
    query: { page?: number; limit?: number; name?: string };
  }
  async function list({ request, repository, query }: Listing, runNumber: number | null) {
    const page = readPage(query);
    const filter = { repositoryId: repository.repository.id, runNumber, name: query.name ?? null };
    const { rows, total } = await listArtifacts(database.db, filter, page);
    const value = { artifacts: rows.map(presenter(repository)), total_count: total };
    return paged({ request, base: addresses.base }, page, total, value);
  }

  async function get({ repository }: RepositoryAccess, id: number): Promise<ArtifactRow> {
    const row = await findArtifact(database.db, repository.id, id);
    if (row === null) {
      throw new NotFound("artifact", String(id));
    }
    return row;
  }

  return group("/repos/:owner/:repo/actions", {
    tag: "repository",
    scopes: ["repository"],
    may: { on: "repository", do: "read", unit: "code" },
    params: { id: rowId("Id of the artifact"), run_id: integer({ minimum: 1, description: "Number of the run" }) },
  })
    .get(
      "/artifacts",
      {
        operationId: "repoListArtifacts",
        summary: "List the artifacts of a repository",
        query: { ...pagingQuery, name: nameQuery },
        responses: ok(ArtifactList, "The artifacts, newest first"),
      },
      (asked) => list(asked, null),
    )
    .get(
      "/runs/:run_id/artifacts",
      {
        operationId: "repoListArtifactsOfRun",
        summary: "List the artifacts of a run",
        query: { ...pagingQuery, name: nameQuery },
        responses: ok(ArtifactList, "The artifacts, by name"),
      },
      (asked) => list(asked, asked.params.run_id),
    )
    .post(
      "/runs/:run_id/artifacts",
      {
        operationId: "repoUploadArtifact",
        summary: "Upload an artifact of a run",
        description:
          "The file is the body itself, whose name is then in the query, or the part `attachment` of a form. The number of the run is the uploader's.",
        may: write,
        query: {
          name: t.Optional(t.String({ description: "Name of the artifact; of a form, else that of its part" })),
        },
        upload: { form: UploadForm, raw: true },
        responses: { ...made(Artifact, "The artifact"), ...conflict },
      },
      async ({ doer, repository, params, query, request }) => {
        await using upload = await receive(request, query.name);
        const { name, content } = upload;
        return created(
          presenter(repository)(
            await addArtifact(forge, doer, repository, { runNumber: params.run_id, name, content }),
          ),
        );
      },
    )
    .get(
      "/artifacts/:id",
      {
        operationId: "repoGetArtifact",
        summary: "Get what is known of an artifact",
        responses: ok(Artifact, "The artifact"),
      },
      async ({ repository, params }) => presenter(repository)(await get(repository, params.id)),
    )
    .get(
      "/artifacts/:id/content",
      {
        operationId: "repoDownloadArtifact",
        summary: "Download an artifact",
        description: "The bytes as they were uploaded. Answers ranges.",
        responses: { 200: { description: "The bytes", contentType: octets } },
      },
      async ({ repository, params }) => {
        const row = await get(repository, params.id);
        const sha256 = Buffer.from(row.sha256).toString("hex");
        const { content, size } = await forge.files.contents.get(sha256, row.bytes);
        return file({
          content,
          size,
          contentType: octets,
          etag: sha256,
          headers: {
            "content-disposition": contentDisposition(octets, row.name),
            "content-security-policy": "sandbox; default-src 'none'",
            "x-content-type-options": "nosniff",
          },
        });
      },
    )
    .delete(
      "/artifacts/:id",
      { operationId: "repoDeleteArtifact", summary: "Delete an artifact", may: write, responses: done },
      async ({ doer, repository, params }) => {
        await forge.change(doer, (work) => deleteArtifact(work, repository, params.id));
        return empty();
      },
    );
}
