import { t } from "elysia";
import { NotFound } from "../../domain/spine/errors.ts";
import { presentLate } from "../../lib/json/write-json.ts";
import type { Api } from "../common/api.ts";
import { invalid, ok } from "../common/responses.ts";
import { placeOf } from "../commits/present.ts";
import { presentContents } from "./present.ts";
import { ContentsResponse } from "./schema.ts";

const refQuery = {
  ref: t.Optional(t.String({ description: "A branch, tag or commit; the default branch otherwise" })),
};

/** Files and directories as JSON. */
export function contentRoutes({ forge, group }: Api) {
  return group("/repos/:owner/:repo", {
    tag: "repository",
    scopes: ["repository"],
    may: { on: "repository", do: "read", unit: "code" },
  })
    .get(
      "/contents",
      {
        operationId: "repoGetContentsList",
        summary: "List the files of the root directory",
        query: refQuery,
        responses: ok(t.Array(ContentsResponse), "The entries, without content"),
      },
      async ({ repository, query, signal }) => {
        if (repository.repository.empty && query.ref === undefined) {
          return [];
        }
        const revision = await forge.git.revisions.get(repository.repository, query.ref);
        const found = await forge.git.contents.find(revision.view, revision.commit, "", { signal });
        const place = placeOf(forge.addresses, repository);
        return found?.kind === "directory"
          ? presentLate(found.entries, (entry) => presentContents(place, revision, entry, null))
          : [];
      },
    )
    .get(
      "/contents/:filepath+",
      {
        operationId: "repoGetContents",
        summary: "Get a file with its content, or list a directory",
        description: "A directory answers with the array of its entries, without their content.",
        params: { filepath: t.String({ description: "Path of a file, directory, link or submodule" }) },
        query: refQuery,
        responses: {
          200: { description: "The file", schema: ContentsResponse, or: t.Array(ContentsResponse) },
          ...invalid,
        },
      },
      async ({ repository, params, query, signal }) => {
        const path = params.filepath;
        const revision = await forge.git.revisions.get(repository.repository, query.ref);
        const found = await forge.git.contents.find(revision.view, revision.commit, path, { signal });
        if (found === null) {
          throw new NotFound("file or directory", path);
        }
        const place = placeOf(forge.addresses, repository);
        return found.kind === "directory"
          ? presentLate(found.entries, (entry) => presentContents(place, revision, entry, null))
          : presentContents(place, revision, found.entry, found.bytes);
      },
    );
}
