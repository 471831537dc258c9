import { t } from "elysia";
import { accessModes } from "../../db/schema/owners.ts";
import { Forbidden } from "../../domain/spine/errors.ts";
import { findMembership, listOrganizations } from "../../domain/identity/orgs/queries.ts";
import type { Api } from "../common/api.ts";
import { pageOf, type AskedForList } from "../common/paging.ts";
import { notFound, ok } from "../common/responses.ts";
import { pagingQuery } from "../common/schema.ts";
import { presentOrganization } from "./present.ts";
import { Organization, OrganizationPermissions } from "./schema.ts";

/** Lists of organizations, and what a user may do in one. */
export function organizationListRoutes({ forge, group }: Api) {
  const { addresses, database } = forge;

  async function list({ request, actor, credential, query }: AskedForList, filter: { memberId?: number }) {
    return pageOf(
      { request, query, base: addresses.base },
      (page) => listOrganizations(database.db, { actor, credential }, filter, page),
      (row) => presentOrganization(addresses, row, actor),
    );
  }

  const organizations = ok(t.Array(Organization), "The organizations, by name");

  return group("", { tag: "organization", scopes: ["user", "organization"], may: { on: "instance", do: "use" } })
    .get(
      "/orgs",
      {
        operationId: "orgGetAll",
        summary: "List the organizations that the caller may know of",
        scopes: ["organization"],
        query: pagingQuery,
        responses: organizations,
      },
      (asked) => list(asked, {}),
    )
    .get(
      "/user/orgs",
      {
        operationId: "orgListCurrentUserOrgs",
        summary: "List the organizations that the signed-in user is a member of",
        may: { on: "account", do: "act-as-self" },
        query: pagingQuery,
        responses: { ...organizations, ...notFound },
      },
      (asked) => list(asked, { memberId: asked.actor.id }),
    )
    .get(
      "/users/:username/orgs",
      {
        operationId: "orgListUserOrgs",
        summary: "List the organizations that a user is known to be a member of",
        description: "A concealed membership is known to the user, to the other members and to site administrators.",
        may: { on: "user", do: "see" },
        signedIn: true,
        query: pagingQuery,
        responses: organizations,
      },
      (asked) => list(asked, { memberId: asked.owner.owner.id }),
    )
    .get(
      "/admin/users/:username/orgs",
      {
        operationId: "adminListUserOrgs",
        summary: "List the organizations that a user is a member of",
        tag: "admin",
        scopes: ["admin"],
        may: { on: "instance", do: "administer" },
        query: pagingQuery,
        also: { user: { may: { on: "user", do: "see" }, named: { user: "username" } } },
        responses: { ...organizations, ...notFound },
      },
      (asked) => list(asked, { memberId: asked.also.user.owner.id }),
    )
    .get(
      "/users/:username/orgs/:org/permissions",
      {
        operationId: "orgGetUserPermissions",
        summary: "Get what a user may do in an organization",
        description: "Told to the user, to members of the organization and to site administrators.",
        may: { on: "organization", do: "see" },
        signedIn: true,
        also: { user: { may: { on: "user", do: "see" }, named: { user: "username" } } },
        responses: ok(OrganizationPermissions, "What they may do"),
      },
      async ({ actor, owner, also }) => {
        const user = also.user.owner;
        if (user.id !== actor.id && owner.membership === null && !actor.isAdmin) {
          throw new Forbidden("What somebody may do in an organization is told to them and to its members");
        }
        const { mode, creates } = await findMembership(database.db, owner.owner.id, user.id);
        const level = mode ?? accessModes.none;
        return {
          is_owner: level >= accessModes.owner,
          is_admin: level >= accessModes.admin,
          can_write: level >= accessModes.write,
          can_read: level >= accessModes.read,
          can_create_repository: creates,
        };
      },
    );
}
