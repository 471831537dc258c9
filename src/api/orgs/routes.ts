import { t } from "elysia";
import { isPublicOnly } from "../../auth/authorize.ts";
import type { Credential } from "../../auth/subject.ts";
import type { Visibility } from "../../db/schema/owners.ts";
import { Forbidden, NotFound } from "../../domain/spine/errors.ts";
import { createOrganization } from "../../domain/identity/orgs/create-organization.ts";
import { deleteOrganization } from "../../domain/server/deletion/delete-organization.ts";
import { checkOrganization, editOrganization } from "../../domain/identity/orgs/edit-organization.ts";
import { getOrganization } from "../../domain/identity/orgs/queries.ts";
import { renameOwner } from "../../domain/identity/owners/rename-owner.ts";
import { findUserByName } from "../../domain/identity/users/queries.ts";
import type { Api } from "../common/api.ts";
import { present } from "../common/present-fields.ts";
import { created, empty } from "../common/reply.ts";
import { done, invalid, made, notFound, ok } from "../common/responses.ts";
import { presentOrganization } from "./present.ts";
import { CreateOrgOption, EditOrgOption, Organization, RenameOrgOption } from "./schema.ts";
import { actorOf, type UserDoer } from "../../domain/spine/doer.ts";

/** The fields of the body that were sent, under the names of the table. */
function fieldsOf(
  body: Omit<typeof CreateOrgOption.static, "username" | "email" | "repo_admin_change_team_access"> & {
    repo_admin_change_team_access?: boolean | undefined;
  },
) {
  return present({
    fullName: body.full_name,
    description: body.description,
    website: body.website,
    location: body.location,
    visibility: body.visibility,
    repoAdminChangeTeamAccess: body.repo_admin_change_team_access,
  });
}

/** A token for public things only would no longer see what it made so. */
function checkVisibility(credential: Credential, visibility: Visibility | undefined): void {
  if (isPublicOnly(credential) && visibility !== undefined && visibility !== "public") {
    throw new Forbidden("The token is for public organizations only and cannot make one that is not");
  }
}

/** One organization: made, read, changed, renamed, deleted. */
export function organizationRoutes({ forge, group }: Api) {
  const { addresses, database } = forge;

  async function create(doer: UserDoer, ownerId: number, body: typeof CreateOrgOption.static) {
    checkVisibility(doer.credential, body.visibility);
    const fields = { name: body.username, ...fieldsOf(body), ...present({ email: body.email }) };
    checkOrganization(fields);
    return forge.change(doer, async (work) => {
      const actor = actorOf(work.doer);
      if (!actor.mayCreateOrganizations && !actor.isAdmin) {
        throw new Forbidden("You may not create organizations");
      }
      return getOrganization(work.tx, await createOrganization(work, { ...fields, ownerId }));
    });
  }

  return group("", { tag: "organization", scopes: ["organization"], may: { on: "organization", do: "manage" } })
    .post(
      "/orgs",
      {
        operationId: "orgCreate",
        summary: "Create an organization",
        may: { on: "account", do: "act-as-self" },
        body: CreateOrgOption,
        responses: made(Organization, "The organization"),
      },
      async ({ doer, body }) =>
        created(presentOrganization(addresses, await create(doer, doer.actor.id, body), doer.actor)),
    )
    .post(
      "/admin/users/:username/orgs",
      {
        operationId: "adminCreateOrg",
        summary: "Create an organization that a user owns",
        tag: "admin",
        scopes: ["admin"],
        may: { on: "instance", do: "administer" },
        params: { username: t.String({ description: "Name of the user who owns it first" }) },
        body: CreateOrgOption,
        responses: { ...made(Organization, "The organization"), ...notFound },
      },
      async ({ doer, params, body }) => {
        const user = await findUserByName(database.db, params.username);
        if (user === null) {
          throw new NotFound("user", params.username);
        }
        return created(presentOrganization(addresses, await create(doer, user.id, body), doer.actor));
      },
    )
    .get(
      "/orgs/:org",
      {
        operationId: "orgGet",
        summary: "Get an organization",
        may: { on: "organization", do: "see" },
        responses: ok(Organization, "The organization"),
      },
      ({ actor, owner }) => presentOrganization(addresses, owner.owner, actor),
    )
    .patch(
      "/orgs/:org",
      {
        operationId: "orgEdit",
        summary: "Change an organization",
        description:
          "Fields that are absent stay as they are. A token that shows the organization to more people, or lets administrators of repositories choose teams, needs the scope `write:repository`, too.",
        givesAccess: "by some changes",
        body: EditOrgOption,
        responses: ok(Organization, "The changed organization"),
      },
      async ({ doer, actor, credential, owner: { owner }, body }) => {
        checkVisibility(credential, body.visibility);
        // A null says nothing: clients of the family send it for what they leave as it is.
        const change = {
          ...fieldsOf({ ...body, repo_admin_change_team_access: body.repo_admin_change_team_access ?? undefined }),
          ...present({ email: body.email ?? undefined }),
        };
        const row = await forge.change(doer, (work) => editOrganization(work, owner, change));
        return presentOrganization(addresses, row, actor);
      },
    )
    .delete(
      "/orgs/:org",
      {
        operationId: "orgDelete",
        summary: "Delete an organization that has no repositories",
        responses: { ...done, ...invalid },
      },
      async ({ doer, actor, owner: { owner } }) => {
        await forge.change(doer, (work) => deleteOrganization(work, owner));
        forge.log.info({ organization: owner.id, name: owner.name, actor: actor.name }, "Deleted an organization");
        return empty();
      },
    )
    .post(
      "/orgs/:org/rename",
      {
        operationId: "renameOrg",
        summary: "Rename an organization",
        description: "The old name leads to it until it is used again.",
        body: RenameOrgOption,
        responses: done,
      },
      async ({ doer, owner: { owner }, body }) => {
        await forge.change(doer, (work) => renameOwner(work, owner.id, body.new_name, "new_name"));
        return empty();
      },
    );
}
