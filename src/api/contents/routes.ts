import { Elysia, t } from "elysia";
import { NotFound } from "../../domain/errors.ts";
import type { Api } from "../common/api.ts";
import { invalid, notFound, ok } from "../common/responses.ts";
import { repositoryParams } from "../common/schema.ts";
import { placeOf } from "../commits/present.ts";
import { presentContents } from "./present.ts";
import { ContentsResponse } from "./schema.ts";

const refQuery = t.Object({ ref: t.Optional(t.String({ description: "A branch, tag or commit; the default branch otherwise" })) });

/** Files and directories as JSON. */
export function contentRoutes({ forge, endpoint }: Api) {
  return new Elysia({ prefix: "/repos/:owner/:repo" })
    .get(
      "/contents",
      ...endpoint(
        {
          operationId: "repoGetContentsList",
          tag: "repository",
          summary: "List the files of the root directory",
          scopes: ["repository"],
          may: { on: "repository", do: "read", unit: "code" },
          params: t.Object(repositoryParams),
          query: refQuery,
          responses: { ...ok(t.Array(ContentsResponse), "The entries, without content"), ...notFound },
        },
        async ({ repository, query, signal }) => {
          if (repository.repository.empty && query.ref === undefined) {
            return [];
          }
          const revision = await forge.revisions.get(repository.repository, query.ref);
          const found = await forge.contents.find(revision.view, revision.commit, "", signal);
          const place = placeOf(forge.addresses, repository);
          return found?.kind === "directory" ? found.entries.map((entry) => presentContents(place, revision, entry, null)) : [];
        },
      ),
    )
    .get(
      "/contents/*",
      ...endpoint(
        {
          operationId: "repoGetContents",
          tag: "repository",
          summary: "Get a file with its content, or list a directory",
          description: "A directory answers with the array of its entries, without their content.",
          scopes: ["repository"],
          may: { on: "repository", do: "read", unit: "code" },
          params: t.Object({ ...repositoryParams, "*": t.String({ description: "Path of a file, directory, link or submodule" }) }),
          query: refQuery,
          responses: { ...ok(ContentsResponse, "The file"), ...notFound, ...invalid },
        },
        async ({ repository, params, query, signal }) => {
          const path = params["*"];
          const revision = await forge.revisions.get(repository.repository, query.ref);
          const found = await forge.contents.find(revision.view, revision.commit, path, signal);
          if (found === null) {
            throw new NotFound("file or directory", path);
          }
          const place = placeOf(forge.addresses, repository);
          return found.kind === "directory"
            ? found.entries.map((entry) => presentContents(place, revision, entry, null))
            : presentContents(place, revision, found.entry, found.bytes);
        },
      ),
    );
}
