import { t } from "elysia";
import { isPublicOnly } from "../../auth/authorize.ts";
import type { Actor } from "../../auth/subject.ts";
import { teamsOpen } from "../../domain/spine/demand-to-open.ts";
import { createTeam } from "../../domain/identity/teams/create-team.ts";
import { deleteTeam } from "../../domain/identity/teams/delete-team.ts";
import { editTeam } from "../../domain/identity/teams/edit-team.ts";
import { getTeam, listTeams, type TeamFilter } from "../../domain/identity/teams/queries.ts";
import type { Api } from "../common/api.ts";
import { pageOf } from "../common/paging.ts";
import { present } from "../common/present-fields.ts";
import { created, empty } from "../common/reply.ts";
import { done, made, ok } from "../common/responses.ts";
import { pagingQuery, rowId, searchText } from "../common/schema.ts";
import { presentTeam } from "./present.ts";
import { CreateTeamOption, EditTeamOption, Team, TeamSearchResults } from "./schema.ts";

type PresentedTeam = ReturnType<typeof presentTeam>;

/** The fields of the body that were sent, in the words of the domain. A null says nothing. */
function fieldsOf(body: typeof EditTeamOption.static) {
  return present({
    name: body.name === "" ? undefined : body.name,
    description: body.description ?? undefined,
    permission: body.permission,
    units: body.units,
    unitsMap: body.units_map,
    includesAllRepositories: body.includes_all_repositories ?? undefined,
    canCreateRepositories: body.can_create_org_repo ?? undefined,
  });
}

/** Teams of organizations: listed, made, read, changed, deleted. */
export function teamRoutes({ forge, group }: Api) {
  const { addresses, database } = forge;

  async function list<Body = PresentedTeam[]>(
    { request, actor, query }: { request: Request; actor: Actor; query: { page?: number; limit?: number } },
    filter: TeamFilter,
    wrap?: (list: PresentedTeam[]) => Body,
  ) {
    return pageOf(
      { request, query, base: addresses.base },
      (page) => listTeams(database.db, filter, page),
      (row) => presentTeam(addresses, row, actor),
      wrap,
    );
  }

  return group("", { tag: "organization", scopes: ["organization"], may: { on: "organization", do: "belong" } })
    .get(
      "/orgs/:org/teams",
      {
        operationId: "orgListTeams",
        summary: "List an organization's teams",
        query: pagingQuery,
        responses: ok(t.Array(Team), "The teams, the owners first"),
      },
      (asked) => list(asked, { organizationId: asked.owner.owner.id }),
    )
    .get(
      "/orgs/:org/teams/search",
      {
        operationId: "teamSearch",
        summary: "Search for teams of an organization",
        query: {
          q: searchText("In the name"),
          include_desc: t.Optional(t.Boolean({ description: "Or in the description; true if absent" })),
          ...pagingQuery,
        },
        responses: ok(TeamSearchResults, "The teams"),
      },
      (asked) => {
        const { include_desc: inDescription = true } = asked.query;
        const q = asked.query.q ?? "";
        const text = q === "" ? {} : { text: { lower: q.toLowerCase(), inDescription } };
        return list(asked, { organizationId: asked.owner.owner.id, ...text }, (data) => ({ ok: true, data }));
      },
    )
    .post(
      "/orgs/:org/teams",
      {
        operationId: "orgCreateTeam",
        summary: "Create a team",
        may: { on: "organization", do: "manage" },
        givesAccess: teamsOpen,
        body: CreateTeamOption,
        responses: made(Team, "The team"),
      },
      async ({ doer, actor, owner: { owner }, body }) => {
        const row = await forge.change(doer, (work) => createTeam(work, owner, { ...fieldsOf(body), name: body.name }));
        return created(presentTeam(addresses, row, actor));
      },
    )
    .get(
      "/user/teams",
      {
        operationId: "userListTeams",
        summary: "List the teams that the signed-in user is in",
        tag: "user",
        scopes: ["user"],
        may: { on: "account", do: "act-as-self" },
        query: pagingQuery,
        responses: ok(t.Array(Team), "The teams, by organization"),
      },
      (asked) => list(asked, { memberId: asked.actor.id, publicOnly: isPublicOnly(asked.credential) }),
    )
    .get(
      "/teams/:id",
      {
        operationId: "orgGetTeam",
        summary: "Get a team",
        may: { on: "team", do: "see" },
        params: { id: rowId("Id of the team") },
        responses: ok(Team, "The team"),
      },
      async ({ actor, params }) => presentTeam(addresses, await getTeam(database.db, params.id), actor),
    )
    .patch(
      "/teams/:id",
      {
        operationId: "orgEditTeam",
        summary: "Change a team",
        description: "Fields that are absent stay as they are. The team of the owners keeps its name and its rights.",
        may: { on: "team", do: "manage" },
        params: { id: rowId("Id of the team") },
        givesAccess: teamsOpen,
        body: EditTeamOption,
        responses: ok(Team, "The changed team"),
      },
      async ({ doer, actor, params, body }) => {
        const row = await forge.change(doer, (work) => editTeam(work, params.id, fieldsOf(body)));
        return presentTeam(addresses, row, actor);
      },
    )
    .delete(
      "/teams/:id",
      {
        operationId: "orgDeleteTeam",
        summary: "Delete a team",
        description: "What it had is kept.",
        may: { on: "team", do: "manage" },
        params: { id: rowId("Id of the team") },
        responses: done,
      },
      async ({ doer, params }) => {
        await forge.change(doer, (work) => deleteTeam(work, params.id));
        return empty();
      },
    );
}
