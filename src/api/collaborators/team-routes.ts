import { t } from "elysia";
import { accessModes } from "../../db/schema/owners.ts";
import { InvalidInput } from "../../lib/errors.ts";
import { NotFound, NotOfOrganization } from "../../domain/spine/errors.ts";
import { maxTeams } from "../../domain/identity/teams/create-team.ts";
import { getTeam, listTeams, teamHasRepository } from "../../domain/identity/teams/queries.ts";
import { addTeamRepository, removeTeamRepository } from "../../domain/identity/teams/repositories.ts";
import type { Api } from "../common/api.ts";
import { empty } from "../common/reply.ts";
import { done, invalid, notAllowed, ok } from "../common/responses.ts";
import { presentTeam } from "../teams/present.ts";
import { Team } from "../teams/schema.ts";

/** The team of the path: one of the repository's organization that the caller may know of. */
const named = { team: { may: { on: "team", do: "know" }, named: { team: "team" } } } as const;
const allTeams = { size: maxTeams, offset: 0 };

/** The teams that have a repository, for members of its organization; nobody else knows of them. */
export function repositoryTeamRoutes({ forge, group }: Api) {
  const { addresses, database } = forge;

  return group("/repos/:owner/:repo/teams", {
    tag: "repository",
    scopes: ["repository"],
    may: { on: "repository", do: "read", unit: "any" },
    // Access to an archived repository must be taken away, too.
    onArchived: "allowed",
  })
    .get(
      "",
      {
        operationId: "repoListTeams",
        summary: "List the teams that have a repository",
        signedIn: true,
        responses: {
          ...ok(t.Array(Team), "The teams, for members of the organization; none for others"),
          ...notAllowed,
        },
      },
      async ({ actor, owner, repository: access }) => {
        if (owner.owner.kind !== "organization") {
          throw new NotOfOrganization(owner.owner.name);
        }
        if (owner.membership === null && access.mode < accessModes.admin) {
          return [];
        }
        const { rows } = await listTeams(
          database.db,
          { organizationId: access.owner.id, repositoryId: access.repository.id },
          allTeams,
        );
        return rows.map((row) => presentTeam(addresses, row, actor));
      },
    )
    .get(
      "/:team",
      {
        operationId: "repoCheckTeam",
        summary: "Get a team that has a repository",
        signedIn: true,
        params: { team: t.String({ description: "Name of the team" }) },
        also: named,
        responses: ok(Team, "The team"),
      },
      async ({ actor, also, repository: access, params }) => {
        const { id } = also.team.team;
        if (!(await teamHasRepository(database.db, id, access.repository.id))) {
          throw new NotFound("team", params.team);
        }
        return presentTeam(addresses, await getTeam(database.db, id), actor);
      },
    )
    .put(
      "/:team",
      {
        operationId: "repoAddTeam",
        summary: "Give a team a repository",
        givesAccess: ["repository"],
        may: { on: "repository", do: "change-teams", unit: "any" },
        also: named,
        params: { team: t.String({ description: "Name of the team" }) },
        responses: { ...done, ...invalid },
      },
      async ({ doer, also, repository: access, params }) => {
        const { team } = also.team;
        if (await teamHasRepository(database.db, team.id, access.repository.id)) {
          throw new InvalidInput(`The team "${params.team}" has the repository already`, "team");
        }
        await forge.change(doer, (work) => addTeamRepository(work, team.id, access));
        return empty();
      },
    )
    .delete(
      "/:team",
      {
        operationId: "repoDeleteTeam",
        summary: "Take a repository from a team",
        description: "The repository is kept.",
        may: { on: "repository", do: "change-teams", unit: "any" },
        also: named,
        params: { team: t.String({ description: "Name of the team" }) },
        responses: { ...done, ...invalid },
      },
      async ({ doer, also, repository: access, params }) => {
        const { team } = also.team;
        if (!(await teamHasRepository(database.db, team.id, access.repository.id))) {
          throw new InvalidInput(`The team "${params.team}" does not have the repository`, "team");
        }
        await forge.change(doer, (work) => removeTeamRepository(work, team.id, access));
        return empty();
      },
    );
}
