import { Elysia, t } from "elysia";
import { NotFound } from "../../domain/errors.ts";
import { findOwner } from "../../domain/repos/queries.ts";
import { findVisibleUser } from "../../domain/social/queries.ts";
import { addTeamMember, removeTeamMember } from "../../domain/teams/members.ts";
import { isTeamMember, listTeamMembers } from "../../domain/teams/queries.ts";
import type { Api } from "../common/api.ts";
import { empty } from "../common/reply.ts";
import { done, forbidden, invalid, notFound, ok, signInNeeded } from "../common/responses.ts";
import { pagingQuery, rowId } from "../common/schema.ts";
import { presentOwner } from "../users/present.ts";
import { User } from "../users/schema.ts";
import { userPage } from "../users/user-page.ts";

const id = rowId("Id of the team");
const memberParams = t.Object({ id, username: t.String({ description: "Name of the user" }) });

/** Who is in a team. */
export function teamMemberRoutes({ forge, endpoint }: Api) {
  const { addresses, database } = forge;
  const team = { tag: "organization", scopes: ["organization"], signedIn: true } as const;

  /** Whoever sees the team knows who is in it, whatever they show to others. */
  async function getMember(teamId: number, username: string) {
    const user = await findOwner(database.db, username);
    if (user === null || !(await isTeamMember(database.db, teamId, user.id))) {
      throw new NotFound("member", username);
    }
    return user;
  }

  return new Elysia()
    .get(
      "/teams/:id/members",
      ...endpoint(
        {
          ...team,
          operationId: "orgListTeamMembers",
          summary: "List a team's members",
          may: { on: "team", do: "see" },
          params: t.Object({ id }),
          query: t.Object(pagingQuery),
          responses: { ...ok(t.Array(User), "The members, by name"), ...signInNeeded, ...forbidden, ...notFound },
        },
        (asked) => userPage(addresses, asked, (page) => listTeamMembers(database.db, asked.params.id, page)),
      ),
    )
    .get(
      "/teams/:id/members/:username",
      ...endpoint(
        {
          ...team,
          operationId: "orgListTeamMember",
          summary: "Get a member of a team",
          may: { on: "team", do: "see" },
          params: memberParams,
          responses: { ...ok(User, "The member"), ...signInNeeded, ...forbidden, ...notFound },
        },
        async ({ actor, params }) => presentOwner(addresses, await getMember(params.id, params.username), actor),
      ),
    )
    .put(
      "/teams/:id/members/:username",
      ...endpoint(
        {
          ...team,
          operationId: "orgAddTeamMember",
          summary: "Put a user into a team",
          may: { on: "team", do: "manage" },
          params: memberParams,
          responses: { ...done, ...signInNeeded, ...forbidden, ...notFound },
        },
        async ({ actor, credential, params }) => {
          const user = await findVisibleUser(database.db, { actor, credential }, params.username);
          if (user === null) {
            throw new NotFound("user", params.username);
          }
          await database.db.transaction((tx) => addTeamMember(tx, params.id, user));
          return empty();
        },
      ),
    )
    .delete(
      "/teams/:id/members/:username",
      ...endpoint(
        {
          ...team,
          operationId: "orgRemoveTeamMember",
          summary: "Take a user out of a team",
          may: { on: "team", do: "manage" },
          params: memberParams,
          responses: { ...done, ...signInNeeded, ...forbidden, ...notFound, ...invalid },
        },
        async ({ params }) => {
          const user = await getMember(params.id, params.username);
          await database.db.transaction((tx) => removeTeamMember(tx, params.id, user));
          return empty();
        },
      ),
    );
}
