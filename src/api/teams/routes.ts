import { Elysia, t } from "elysia";
import { isPublicOnly } from "../../auth/authorize.ts";
import type { Actor } from "../../auth/subject.ts";
import { createTeam } from "../../domain/teams/create-team.ts";
import { deleteTeam } from "../../domain/teams/delete-team.ts";
import { editTeam } from "../../domain/teams/edit-team.ts";
import { getTeam, listTeams, type TeamFilter } from "../../domain/teams/queries.ts";
import type { Api } from "../common/api.ts";
import { pageOf } from "../common/paging.ts";
import { present } from "../common/present-fields.ts";
import { created, empty } from "../common/reply.ts";
import { done, forbidden, invalid, made, notFound, ok, signInNeeded } from "../common/responses.ts";
import { pagingQuery, rowId } from "../common/schema.ts";
import { presentTeam } from "./present.ts";
import { CreateTeamOption, EditTeamOption, Team, TeamSearchResults } from "./schema.ts";

const orgParams = t.Object({ org: t.String({ description: "Name of the organization" }) });
const teamParams = t.Object({ id: rowId("Id of the team") });

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
export function teamRoutes({ forge, endpoint }: Api) {
  const { addresses, database } = forge;
  const ofOrganization = { tag: "organization", scopes: ["organization"], may: { on: "organization", do: "belong" }, signedIn: true, params: orgParams } as const;
  const ofTeam = { tag: "organization", scopes: ["organization"], signedIn: true, params: teamParams } as const;

  async function list({ request, actor, query }: { request: Request; actor: Actor; query: { page?: number; limit?: number } }, filter: TeamFilter, wrap: (list: unknown[]) => unknown = (teams) => teams) {
    return pageOf({ request, query, base: addresses.base }, (page) => listTeams(database.db, filter, page), (row) => presentTeam(addresses, row, actor), wrap);
  }

  return new Elysia()
    .get(
      "/orgs/:org/teams",
      ...endpoint(
        {
          ...ofOrganization,
          operationId: "orgListTeams",
          summary: "List an organization's teams",
          query: t.Object(pagingQuery),
          responses: { ...ok(t.Array(Team), "The teams, the owners first"), ...signInNeeded, ...forbidden, ...notFound },
        },
        (asked) => list(asked, { organizationId: asked.owner.owner.id }),
      ),
    )
    .get(
      "/orgs/:org/teams/search",
      ...endpoint(
        {
          ...ofOrganization,
          operationId: "teamSearch",
          summary: "Search for teams of an organization",
          query: t.Object({
            q: t.Optional(t.String({ description: "In the name" })),
            include_desc: t.Optional(t.Boolean({ description: "Or in the description; true if absent" })),
            ...pagingQuery,
          }),
          responses: { ...ok(TeamSearchResults, "The teams"), ...signInNeeded, ...forbidden, ...notFound },
        },
        (asked) => {
          const { q, include_desc: inDescription = true } = asked.query;
          const text = q === undefined ? {} : { text: { lower: q.toLowerCase(), inDescription } };
          return list(asked, { organizationId: asked.owner.owner.id, ...text }, (data) => ({ ok: true, data }));
        },
      ),
    )
    .post(
      "/orgs/:org/teams",
      ...endpoint(
        {
          ...ofOrganization,
          may: { on: "organization", do: "manage" },
          operationId: "orgCreateTeam",
          summary: "Create a team",
          body: CreateTeamOption,
          responses: { ...made(Team, "The team"), ...signInNeeded, ...forbidden, ...notFound, ...invalid },
        },
        async ({ actor, owner: { owner }, body }) => {
          const row = await database.db.transaction((tx) => createTeam(tx, owner, { ...fieldsOf(body), name: body.name }));
          return created(presentTeam(addresses, row, actor));
        },
      ),
    )
    .get(
      "/user/teams",
      ...endpoint(
        {
          operationId: "userListTeams",
          tag: "user",
          summary: "List the teams that the signed-in user is in",
          scopes: ["user"],
          may: { on: "account", do: "act-as-self" },
          signedIn: true,
          query: t.Object(pagingQuery),
          responses: { ...ok(t.Array(Team), "The teams, by organization"), ...signInNeeded, ...forbidden },
        },
        (asked) => list(asked, { memberId: asked.actor.id, publicOnly: isPublicOnly(asked.credential) }),
      ),
    )
    .get(
      "/teams/:id",
      ...endpoint(
        {
          ...ofTeam,
          operationId: "orgGetTeam",
          summary: "Get a team",
          may: { on: "team", do: "see" },
          responses: { ...ok(Team, "The team"), ...signInNeeded, ...forbidden, ...notFound, ...invalid },
        },
        async ({ actor, params }) => presentTeam(addresses, await getTeam(database.db, params.id), actor),
      ),
    )
    .patch(
      "/teams/:id",
      ...endpoint(
        {
          ...ofTeam,
          operationId: "orgEditTeam",
          summary: "Change a team",
          description: "Fields that are absent stay as they are. The team of the owners keeps its name and its rights.",
          may: { on: "team", do: "manage" },
          body: EditTeamOption,
          responses: { ...ok(Team, "The changed team"), ...signInNeeded, ...forbidden, ...notFound, ...invalid },
        },
        async ({ actor, params, body }) => {
          const row = await database.db.transaction((tx) => editTeam(tx, params.id, fieldsOf(body)));
          return presentTeam(addresses, row, actor);
        },
      ),
    )
    .delete(
      "/teams/:id",
      ...endpoint(
        {
          ...ofTeam,
          operationId: "orgDeleteTeam",
          summary: "Delete a team",
          description: "What it had is kept.",
          may: { on: "team", do: "manage" },
          responses: { ...done, ...signInNeeded, ...forbidden, ...notFound, ...invalid },
        },
        async ({ params }) => {
          await database.db.transaction((tx) => deleteTeam(tx, params.id));
          return empty();
        },
      ),
    );
}
