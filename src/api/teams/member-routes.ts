import { t } from "elysia";
import type { Viewer } from "../../auth/viewer-of.ts";
import { NotFound } from "../../domain/spine/errors.ts";
import { teamsOpen } from "../../domain/spine/demand-to-open.ts";
import { findShownUser } from "../../domain/identity/social/queries.ts";
import { addTeamMember, removeTeamMember } from "../../domain/identity/teams/members.ts";
import { isTeamMember, listTeamMembers } from "../../domain/identity/teams/queries.ts";
import type { Api } from "../common/api.ts";
import { empty } from "../common/reply.ts";
import { done, ok } from "../common/responses.ts";
import { pagingQuery, rowId } from "../common/schema.ts";
import { presentOwner } from "../users/present.ts";
import { User } from "../users/schema.ts";
import { userPage } from "../users/user-page.ts";

const id = rowId("Id of the team");

/** The members of a team. */
export function teamMemberRoutes({ forge, group }: Api) {
  const { addresses, database } = forge;

  /** A caller who sees the team sees its members, even hidden ones. */
  async function getMember(viewer: Viewer, teamId: number, username: string) {
    const user = await findShownUser(database.db, viewer, username);
    if (user === null || !(await isTeamMember(database.db, teamId, user.id))) {
      throw new NotFound("member", username);
    }
    return user;
  }

  return group("", { tag: "organization", scopes: ["organization"], may: { on: "team", do: "see" } })
    .get(
      "/teams/:id/members",
      {
        operationId: "orgListTeamMembers",
        summary: "List a team's members",
        params: { id },
        query: pagingQuery,
        responses: ok(t.Array(User), "The members, by name"),
      },
      (asked) => userPage(addresses, asked, (page) => listTeamMembers(database.db, asked, asked.params.id, page)),
    )
    .get(
      "/teams/:id/members/:username",
      {
        operationId: "orgListTeamMember",
        summary: "Get a member of a team",
        params: { id },
        responses: ok(User, "The member"),
      },
      async (asked) =>
        presentOwner(addresses, await getMember(asked, asked.params.id, asked.params.username), asked.actor),
    )
    .put(
      "/teams/:id/members/:username",
      {
        operationId: "orgAddTeamMember",
        summary: "Put a user into a team",
        may: { on: "team", do: "manage" },
        params: { id },
        givesAccess: teamsOpen,
        also: { user: { may: { on: "user", do: "see" }, named: { user: "username" } } },
        responses: done,
      },
      async ({ doer, also, params }) => {
        await forge.change(doer, (work) => addTeamMember(work, params.id, also.user.owner));
        return empty();
      },
    )
    .delete(
      "/teams/:id/members/:username",
      {
        operationId: "orgRemoveTeamMember",
        summary: "Take a user out of a team",
        may: { on: "team", do: "manage" },
        params: { id },
        responses: done,
      },
      async ({ doer, actor, credential, params }) => {
        const user = await getMember({ actor, credential }, params.id, params.username);
        await forge.change(doer, (work) => removeTeamMember(work, params.id, user));
        return empty();
      },
    );
}
