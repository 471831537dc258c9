import { t } from "elysia";
import { findLicenses } from "../../domain/git/licenses/find-licenses.ts";
import type { Api } from "../common/api.ts";
import { ok } from "../common/responses.ts";

/** The licenses of repositories, as their files tell. */
export function licenseRoutes({ forge, group }: Api) {
  return group("/repos/:owner/:repo", {
    tag: "repository",
    scopes: ["repository"],
    may: { on: "repository", do: "read", unit: "code" },
  }).get(
    "/licenses",
    {
      operationId: "repoGetLicenses",
      summary: "List the licenses of a repository",
      description:
        "Those of the files LICENSE, COPYING and the like on the default branch. Texts that are no license that the server knows are left out.",
      responses: ok(t.Array(t.String()), "SPDX identifiers, in alphabetical order"),
    },
    async ({ repository: { repository }, signal }) => {
      const revision = repository.empty ? null : await forge.git.revisions.find(repository);
      return revision === null ? [] : findLicenses(forge, revision.view, revision.commit, signal);
    },
  );
}
