import { Elysia, t } from "elysia";
import { isPublicOnly } from "../../auth/authorize.ts";
import type { Actor, OwnerRow } from "../../auth/subject.ts";
import type { Addresses } from "../../domain/addresses.ts";
import { Forbidden } from "../../domain/errors.ts";
import { checkEmail } from "../../domain/names.ts";
import { createOrganization } from "../../domain/orgs/create-organization.ts";
import { getOrganization } from "../../domain/orgs/queries.ts";
import type { Api } from "../common/api.ts";
import { created } from "../common/reply.ts";
import { forbidden, invalid, made, notFound, ok, signInNeeded } from "../common/responses.ts";
import { CreateOrgOption, Organization } from "./schema.ts";

function present(addresses: Addresses, row: OwnerRow, viewer: Actor | null) {
  return {
    id: row.id,
    name: row.name,
    username: row.name,
    full_name: row.fullName,
    email: viewer === null ? "" : row.email,
    avatar_url: addresses.avatar(row),
    description: row.description,
    website: row.website,
    location: row.location,
    visibility: row.visibility,
    repo_admin_change_team_access: row.repoAdminChangeTeamAccess,
  };
}

/** The fields of the body that were sent, under the names of the table. */
function fieldsOf(body: typeof CreateOrgOption.static) {
  return Object.fromEntries(
    Object.entries({
      fullName: body.full_name,
      email: body.email,
      description: body.description,
      website: body.website,
      location: body.location,
      visibility: body.visibility,
      repoAdminChangeTeamAccess: body.repo_admin_change_team_access,
    }).filter(([, value]) => value !== undefined),
  );
}

export function organizationRoutes({ forge, endpoint }: Api) {
  return new Elysia({ prefix: "/orgs" })
    .post(
      "",
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
          if (isPublicOnly(credential) && body.visibility !== undefined && body.visibility !== "public") {
            throw new Forbidden("The token is for public organizations only and cannot create one that is not");
          }
          if (body.email) {
            checkEmail(body.email);
          }
          const row = await forge.database.db.transaction(async (tx) =>
            getOrganization(tx, await createOrganization(tx, { name: body.username, ownerId: actor.id, ...fieldsOf(body) })),
          );
          return created(present(forge.addresses, row, actor));
        },
      ),
    )
    .get(
      "/:org",
      ...endpoint(
        {
          operationId: "orgGet",
          tag: "organization",
          summary: "Get an organization",
          scopes: ["organization"],
          may: { on: "organization", do: "see" },
          params: t.Object({ org: t.String({ description: "Name of the organization" }) }),
          responses: { ...ok(Organization, "The organization"), ...notFound },
        },
        ({ actor, owner }) => present(forge.addresses, owner.owner, actor),
      ),
    );
}
