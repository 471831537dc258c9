import { Elysia, t } from "elysia";
import { accessModes } from "../../db/schema/owners.ts";
import type { Actor, RepositoryAccess } from "../../auth/subject.ts";
import { StithyError, InvalidInput } from "../../lib/errors.ts";
import { NotFound } from "../../domain/errors.ts";
import { findMembership } from "../../domain/orgs/queries.ts";
import { mostTeams } from "../../domain/teams/create-team.ts";
import { findTeamByName, listTeams, teamHasRepository } from "../../domain/teams/queries.ts";
import { addTeamRepository, demandMayChangeTeams, removeTeamRepository } from "../../domain/teams/repositories.ts";
import type { Api } from "../common/api.ts";
import { empty } from "../common/reply.ts";
import { done, forbidden, invalid, notAllowed, notFound, ok, signInNeeded } from "../common/responses.ts";
import { repositoryParams } from "../common/schema.ts";
import { presentTeam } from "../teams/present.ts";
import { Team } from "../teams/schema.ts";

/** The owner of the repository is a user, who has no teams. */
class NotOfOrganization extends StithyError {
  constructor(name: string) {
    super("method-not-allowed", `"${name}" is a user, and only repositories of organizations have teams`);
  }
}

const teamParams = t.Object({ ...repositoryParams, team: t.String({ description: "Name of the team" }) });
const allTeams = { size: mostTeams, offset: 0 };

/** The teams that have a repository, for members of its organization; nobody else knows of them. */
export function repositoryTeamRoutes({ forge, endpoint }: Api) {
  const { addresses, database } = forge;
  const read = { tag: "repository", scopes: ["repository"], may: { on: "repository", do: "read" }, signedIn: true } as const;
  const administer = {
    ...read,
    may: { on: "repository", do: "admin" },
    params: teamParams,
    responses: { ...done, ...signInNeeded, ...forbidden, ...notFound, ...notAllowed, ...invalid },
  } as const;

  /** The actor's membership in the repository's organization. Throws NotOfOrganization. */
  async function membershipIn({ owner }: RepositoryAccess, actor: Actor) {
    if (owner.kind !== "organization") {
      throw new NotOfOrganization(owner.name);
    }
    return (await findMembership(database.db, owner.id, actor.id)).mode;
  }

  /** A team of the organization; null where there is none, or the actor may not know of it. */
  async function findTeam(access: RepositoryAccess, actor: Actor, name: string) {
    const membership = await membershipIn(access, actor);
    const isInsider = membership !== null || access.mode >= accessModes.admin;
    return { membership, team: isInsider ? await findTeamByName(database.db, access.owner.id, name) : null };
  }

  async function getTeam(access: RepositoryAccess, actor: Actor, name: string) {
    const { membership, team } = await findTeam(access, actor, name);
    demandMayChangeTeams(actor, membership, access);
    if (team === null) {
      throw new NotFound("team", name);
    }
    return team.team;
  }

  return new Elysia({ prefix: "/repos/:owner/:repo/teams" })
    .get(
      "",
      ...endpoint(
        {
          ...read,
          operationId: "repoListTeams",
          summary: "List the teams that have a repository",
          params: t.Object(repositoryParams),
          responses: { ...ok(t.Array(Team), "The teams, for members of the organization; none for others"), ...signInNeeded, ...notFound, ...notAllowed },
        },
        async ({ actor, repository: access }) => {
          const membership = await membershipIn(access, actor);
          if (membership === null && access.mode < accessModes.admin) {
            return [];
          }
          const { rows } = await listTeams(database.db, { organizationId: access.owner.id, repositoryId: access.repository.id }, allTeams);
          return rows.map((row) => presentTeam(addresses, row, actor));
        },
      ),
    )
    .get(
      "/:team",
      ...endpoint(
        {
          ...read,
          operationId: "repoCheckTeam",
          summary: "Get a team that has a repository",
          params: teamParams,
          responses: { ...ok(Team, "The team"), ...signInNeeded, ...notFound, ...notAllowed },
        },
        async ({ actor, repository: access, params }) => {
          const { team } = await findTeam(access, actor, params.team);
          if (team === null || !(await teamHasRepository(database.db, team.team.id, access.repository.id))) {
            throw new NotFound("team", params.team);
          }
          return presentTeam(addresses, team, actor);
        },
      ),
    )
    .put(
      "/:team",
      ...endpoint({ ...administer, operationId: "repoAddTeam", summary: "Give a team a repository" }, async ({ actor, repository: access, params }) => {
        const team = await getTeam(access, actor, params.team);
        if (await teamHasRepository(database.db, team.id, access.repository.id)) {
          throw new InvalidInput(`The team "${team.name}" has the repository already`, "team");
        }
        await database.db.transaction((tx) => addTeamRepository(tx, team.id, access));
        return empty();
      }),
    )
    .delete(
      "/:team",
      ...endpoint({ ...administer, operationId: "repoDeleteTeam", summary: "Take a repository from a team", description: "The repository is kept." }, async ({ actor, repository: access, params }) => {
        const team = await getTeam(access, actor, params.team);
        if (!(await teamHasRepository(database.db, team.id, access.repository.id))) {
          throw new InvalidInput(`The team "${team.name}" does not have the repository`, "team");
        }
        await database.db.transaction((tx) => removeTeamRepository(tx, team.id, access));
        return empty();
      }),
    );
}
