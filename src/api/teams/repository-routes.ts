import { t } from "elysia";
import { NotFound } from "../../domain/spine/errors.ts";
import { teamHasRepository } from "../../domain/identity/teams/queries.ts";
import { addTeamRepository, removeTeamRepository } from "../../domain/identity/teams/repositories.ts";
import type { Api } from "../common/api.ts";
import { empty } from "../common/reply.ts";
import { done, ok } from "../common/responses.ts";
import { pagingQuery, rowId } from "../common/schema.ts";
import { presentOne } from "../repos/present-repositories.ts";
import { repositoryPage } from "../repos/repository-page.ts";
import { Repository } from "../repos/schema.ts";

const id = rowId("Id of the team");
/** The repository of the path: one of the team's organization that the caller may see. */
const named = { named: { owner: "org", repo: "repo" }, within: true } as const;
const seen = { repository: { ...named, may: { on: "repository", do: "read", unit: "any" } } } as const;
const changed = { repository: { ...named, may: { on: "repository", do: "change-teams", unit: "any" } } } as const;

/** Which repositories a team has. */
export function teamRepositoryRoutes({ forge, group }: Api) {
  const { database } = forge;

  return group("", { tag: "organization", scopes: ["organization"], may: { on: "team", do: "see" } })
    .get(
      "/teams/:id/repos",
      {
        operationId: "orgListTeamRepos",
        summary: "List a team's repositories",
        params: { id },
        query: pagingQuery,
        responses: ok(t.Array(Repository), "The repositories, by name"),
      },
      (asked) => repositoryPage(forge, asked, { teamId: asked.params.id }, { by: "alpha", descending: false }),
    )
    .get(
      "/teams/:id/repos/:org/:repo",
      {
        operationId: "orgListTeamRepo",
        summary: "Get a repository of a team",
        also: seen,
        params: { id, org: t.String({ description: "Name of the team's organization" }) },
        responses: ok(Repository, "The repository"),
      },
      async ({ actor, credential, also, params }) => {
        if (!(await teamHasRepository(database.db, params.id, also.repository.repository.id))) {
          throw new NotFound("repository", `${params.org}/${params.repo}`);
        }
        return presentOne(forge, also.repository, { actor, credential });
      },
    )
    .put(
      "/teams/:id/repos/:org/:repo",
      {
        operationId: "orgAddTeamRepository",
        summary: "Give a team a repository",
        givesAccess: ["repository"],
        also: changed,
        params: { id, org: t.String({ description: "Name of the team's organization" }) },
        responses: done,
      },
      async ({ doer, also, params }) => {
        await forge.change(doer, (work) => addTeamRepository(work, params.id, also.repository));
        return empty();
      },
    )
    .delete(
      "/teams/:id/repos/:org/:repo",
      {
        operationId: "orgRemoveTeamRepository",
        summary: "Take a repository from a team",
        description: "The repository is kept.",
        also: changed,
        params: { id, org: t.String({ description: "Name of the team's organization" }) },
        responses: done,
      },
      async ({ doer, also, params }) => {
        await forge.change(doer, (work) => removeTeamRepository(work, params.id, also.repository));
        return empty();
      },
    );
}
