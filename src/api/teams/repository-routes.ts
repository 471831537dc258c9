import { Elysia, t } from "elysia";
import { authorize } from "../../auth/authorize.ts";
import type { OwnerRow, RepositoryAccess } from "../../auth/subject.ts";
import { NotFound } from "../../domain/errors.ts";
import { teamHasRepository } from "../../domain/teams/queries.ts";
import { addTeamRepository, demandMayChangeTeams, removeTeamRepository } from "../../domain/teams/repositories.ts";
import { identifyRequest } from "../../http/identify-request.ts";
import type { Api } from "../common/api.ts";
import { empty } from "../common/reply.ts";
import { done, forbidden, invalid, notFound, ok, signInNeeded } from "../common/responses.ts";
import { pagingQuery, rowId } from "../common/schema.ts";
import { presentRepository } from "../repos/present.ts";
import { repositoryPage } from "../repos/repository-page.ts";
import { Repository } from "../repos/schema.ts";

const id = rowId("Id of the team");
const repositoryParams = t.Object({
  id,
  org: t.String({ description: "Name of the team's organization" }),
  repo: t.String({ description: "Name of the repository" }),
});

/** Which repositories a team has. */
export function teamRepositoryRoutes({ forge, endpoint }: Api) {
  const { addresses, database } = forge;
  const team = { tag: "organization", scopes: ["organization"], may: { on: "team", do: "see" }, signedIn: true } as const;
  const changes = { ...team, params: repositoryParams, responses: { ...done, ...signInNeeded, ...forbidden, ...notFound, ...invalid } } as const;

  /** The repository of the path as the caller meets it: one of the team's organization that they may see. Throws NotFound. */
  async function getRepository(request: Request, organization: OwnerRow, { org, repo }: { org: string; repo: string }): Promise<RepositoryAccess> {
    const { actor, credential, repository } = await identifyRequest(forge, request, { ownerName: org, repositoryName: repo });
    const needed = { categories: ["organization"], level: request.method === "GET" ? "read" : "write" } as const;
    const decision = authorize(actor, credential, needed, { on: "repository", do: "read" }, { repository });
    if (decision !== "allowed" || repository === null || repository.owner.id !== organization.id) {
      throw new NotFound("repository", `${org}/${repo}`);
    }
    return repository;
  }

  return new Elysia()
    .get(
      "/teams/:id/repos",
      ...endpoint(
        {
          ...team,
          operationId: "orgListTeamRepos",
          summary: "List a team's repositories",
          params: t.Object({ id }),
          query: t.Object(pagingQuery),
          responses: { ...ok(t.Array(Repository), "The repositories, by name"), ...signInNeeded, ...forbidden, ...notFound },
        },
        (asked) => repositoryPage(forge, asked, { teamId: asked.params.id }, { by: "alpha", descending: false }),
      ),
    )
    .get(
      "/teams/:id/repos/:org/:repo",
      ...endpoint(
        {
          ...team,
          operationId: "orgListTeamRepo",
          summary: "Get a repository of a team",
          params: repositoryParams,
          responses: { ...ok(Repository, "The repository"), ...signInNeeded, ...forbidden, ...notFound },
        },
        async ({ request, actor, owner, params }) => {
          const access = await getRepository(request, owner.owner, params);
          if (!(await teamHasRepository(database.db, params.id, access.repository.id))) {
            throw new NotFound("repository", `${params.org}/${params.repo}`);
          }
          return presentRepository(addresses, access, actor);
        },
      ),
    )
    .put(
      "/teams/:id/repos/:org/:repo",
      ...endpoint({ ...changes, operationId: "orgAddTeamRepository", summary: "Give a team a repository" }, async ({ request, actor, owner, params }) => {
        const access = await getRepository(request, owner.owner, params);
        demandMayChangeTeams(actor, owner.membership, access);
        await database.db.transaction((tx) => addTeamRepository(tx, params.id, access));
        return empty();
      }),
    )
    .delete(
      "/teams/:id/repos/:org/:repo",
      ...endpoint({ ...changes, operationId: "orgRemoveTeamRepository", summary: "Take a repository from a team", description: "The repository is kept." }, async ({ request, actor, owner, params }) => {
        const access = await getRepository(request, owner.owner, params);
        demandMayChangeTeams(actor, owner.membership, access);
        await database.db.transaction((tx) => removeTeamRepository(tx, params.id, access));
        return empty();
      }),
    );
}
