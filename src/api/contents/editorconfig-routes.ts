import { t } from "elysia";
import { findEditorconfig } from "../../domain/git/contents/find-editorconfig.ts";
import { NotFound } from "../../domain/spine/errors.ts";
import type { Api } from "../common/api.ts";
import { invalid, ok } from "../common/responses.ts";

const Definition = t.Record(t.String(), t.String(), {
  description: "Properties such as indent_style and indent_size with their values",
});

/** How editors are to write files. */
export function editorconfigRoutes({ forge, group }: Api) {
  return group("/repos/:owner/:repo", {
    tag: "repository",
    scopes: ["repository"],
    may: { on: "repository", do: "read", unit: "code" },
  }).get(
    "/editorconfig/:filepath+",
    {
      operationId: "repoGetEditorConfig",
      summary: "Get what the .editorconfig files say of a file",
      description:
        "The files of all directories above it count, up to one that says `root = true`. The file itself need not exist.",
      params: { filepath: t.String({ description: "Path of the file" }) },
      query: { ref: t.Optional(t.String({ description: "A branch, tag or commit; the default branch otherwise" })) },
      responses: { ...ok(Definition, "The definition; 404 where there is no .editorconfig"), ...invalid },
    },
    async ({ repository, params, query }) => {
      const { view, commit } = await forge.git.revisions.get(repository.repository, query.ref);
      const definition = await findEditorconfig(forge, view, commit, params.filepath);
      if (definition === null) {
        throw new NotFound(".editorconfig for", params.filepath);
      }
      return definition;
    },
  );
}
