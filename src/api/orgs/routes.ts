import { Elysia, t } from "elysia";
import { isPublicOnly } from "../../auth/authorize.ts";
import type { Credential } from "../../auth/subject.ts";
import type { Visibility } from "../../db/schema/owners.ts";
import { Forbidden, NotFound } from "../../domain/errors.ts";
import { createOrganization } from "../../domain/orgs/create-organization.ts";
import { deleteOrganization } from "../../domain/orgs/delete-organization.ts";
import { checkOrganization, editOrganization } from "../../domain/orgs/edit-organization.ts";
import { getOrganization } from "../../domain/orgs/queries.ts";
import { renameOwner } from "../../domain/owners/rename-owner.ts";
import { findUserByName } from "../../domain/users/queries.ts";
import type { Api } from "../common/api.ts";
import { present } from "../common/present-fields.ts";
import { created, empty } from "../common/reply.ts";
import { done, forbidden, invalid, made, notFound, ok, signInNeeded } from "../common/responses.ts";
import { presentOrganization } from "./present.ts";
import { CreateOrgOption, EditOrgOption, Organization, RenameOrgOption } from "./schema.ts";

const orgParams = t.Object({ org: t.String({ description: "Name of the organization" }) });

/** The fields of the body that were sent, under the names of the table. */
function fieldsOf(body: Omit<typeof CreateOrgOption.static, "username" | "email" | "repo_admin_change_team_access"> & { repo_admin_change_team_access?: boolean | undefined }) {
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
export function organizationRoutes({ forge, endpoint }: Api) {
  const { addresses, database } = forge;
  const manage = { tag: "organization", scopes: ["organization"], may: { on: "organization", do: "manage" }, signedIn: true, params: orgParams } as const;

  async function create(ownerId: number, credential: Credential, body: typeof CreateOrgOption.static) {
    checkVisibility(credential, body.visibility);
    const fields = { name: body.username, ...fieldsOf(body), ...present({ email: body.email }) };
    checkOrganization(fields);
    return database.db.transaction(async (tx) => getOrganization(tx, await createOrganization(tx, { ...fields, ownerId })));
  }

  return new Elysia()
    .post(
      "/orgs",
      ...endpoint(
        {
          operationId: "orgCreate",
          tag: "organization",
          summary: "Create an organization",
          scopes: ["organization"],
          may: { on: "account", do: "act-as-self" },
          signedIn: true,
          body: CreateOrgOption,
          responses: { ...made(Organization, "The organization"), ...signInNeeded, ...forbidden, ...invalid },
        },
        async ({ actor, credential, body }) => {
          if (!actor.mayCreateOrganizations && !actor.isAdmin) {
            throw new Forbidden("You may not create organizations");
          }
          return created(presentOrganization(addresses, await create(actor.id, credential, body), actor));
        },
      ),
    )
    .post(
      "/admin/users/:username/orgs",
      ...endpoint(
        {
          operationId: "adminCreateOrg",
          tag: "admin",
          summary: "Create an organization that a user owns",
          scopes: ["admin"],
          may: { on: "instance", do: "administer" },
          signedIn: true,
          params: t.Object({ username: t.String({ description: "Name of the user who owns it first" }) }),
          body: CreateOrgOption,
          responses: { ...made(Organization, "The organization"), ...signInNeeded, ...forbidden, ...notFound, ...invalid },
        },
        async ({ actor, credential, params, body }) => {
          const user = await findUserByName(database.db, params.username);
          if (user === null) {
            throw new NotFound("user", params.username);
          }
          return created(presentOrganization(addresses, await create(user.id, credential, body), actor));
        },
      ),
    )
    .get(
      "/orgs/:org",
      ...endpoint(
        {
          operationId: "orgGet",
          tag: "organization",
          summary: "Get an organization",
          scopes: ["organization"],
          may: { on: "organization", do: "see" },
          params: orgParams,
          responses: { ...ok(Organization, "The organization"), ...notFound },
        },
        ({ actor, owner }) => presentOrganization(addresses, owner.owner, actor),
      ),
    )
    .patch(
      "/orgs/:org",
      ...endpoint(
        {
          ...manage,
          operationId: "orgEdit",
          summary: "Change an organization",
          description: "Fields that are absent stay as they are.",
          body: EditOrgOption,
          responses: { ...ok(Organization, "The changed organization"), ...signInNeeded, ...forbidden, ...notFound, ...invalid },
        },
        async ({ actor, credential, owner: { owner }, body }) => {
          checkVisibility(credential, body.visibility);
          // A null says nothing: clients of the family send it for what they leave as it is.
          const change = { ...fieldsOf({ ...body, repo_admin_change_team_access: body.repo_admin_change_team_access ?? undefined }), ...present({ email: body.email ?? undefined }) };
          const row = await database.db.transaction((tx) => editOrganization(tx, owner, change));
          return presentOrganization(addresses, row, actor);
        },
      ),
    )
    .delete(
      "/orgs/:org",
      ...endpoint(
        {
          ...manage,
          operationId: "orgDelete",
          summary: "Delete an organization that has no repositories",
          responses: { ...done, ...signInNeeded, ...forbidden, ...notFound, ...invalid },
        },
        async ({ actor, owner: { owner } }) => {
          await database.db.transaction((tx) => deleteOrganization(tx, owner));
          forge.log.info({ organization: owner.id, name: owner.name, actor: actor.name }, "Deleted an organization");
          return empty();
        },
      ),
    )
    .post(
      "/orgs/:org/rename",
      ...endpoint(
        {
          ...manage,
          operationId: "renameOrg",
          summary: "Rename an organization",
          description: "The old name leads to it until it is used again.",
          body: RenameOrgOption,
          responses: { ...done, ...signInNeeded, ...forbidden, ...notFound, ...invalid },
        },
        async ({ owner: { owner }, body }) => {
          await database.db.transaction((tx) => renameOwner(tx, owner.id, body.new_name, "new_name"));
          return empty();
        },
      ),
    );
}
