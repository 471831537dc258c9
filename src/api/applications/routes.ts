import { t, type Static } from "elysia";
import { NotFound } from "../../domain/spine/errors.ts";
import { findOwnApplication, listApplications } from "../../domain/identity/oauth/application-queries.ts";
import {
  createApplication,
  deleteApplication,
  editApplication,
  type ApplicationFields,
  type MadeApplication,
} from "../../domain/identity/oauth/applications.ts";
import type { Api } from "../common/api.ts";
import { presentInstant } from "../common/instants.ts";
import { pageOf } from "../common/paging.ts";
import { created, empty } from "../common/reply.ts";
import { done, made, notFound, ok } from "../common/responses.ts";
import { pagingQuery, rowId } from "../common/schema.ts";
import { CreateOAuth2ApplicationOptions, OAuth2Application } from "./schema.ts";

/** Applications ask users for all that they may do. */
const opens = ["repository"] as const;

function present({ row, secret }: MadeApplication): Static<typeof OAuth2Application> {
  return {
    id: row.id,
    name: row.name,
    client_id: row.clientId,
    client_secret: secret,
    confidential_client: row.confidential,
    redirect_uris: row.redirectUris,
    created: presentInstant(row.createdAt),
  };
}

/** A missing field counts as empty, as in the family, and is refused as empty. */
function readFields({
  name = "",
  redirect_uris: redirectUris = [],
  confidential_client: confidential = false,
}: Static<typeof CreateOAuth2ApplicationOptions>): ApplicationFields {
  return { name, redirectUris, confidential };
}

/** The applications of a user, which let others sign in with their account here. */
export function applicationRoutes({ forge, group }: Api) {
  const { db } = forge.database;
  return group("/user/applications/oauth2", {
    tag: "user",
    scopes: ["user"],
    may: { on: "account", do: "act-as-self" },
  })
    .get(
      "",
      {
        operationId: "userGetOAuth2Applications",
        summary: "List one's own OAuth applications",
        query: pagingQuery,
        responses: ok(t.Array(OAuth2Application), "The applications, newest first, without their secrets"),
      },
      async ({ request, actor, query }) => {
        return pageOf(
          { request, query, base: forge.addresses.base },
          (page) => listApplications(db, actor.id, page),
          (row) => present({ row, secret: "" }),
        );
      },
    )
    .post(
      "",
      {
        operationId: "userCreateOAuth2Application",
        summary: "Register an OAuth application",
        givesAccess: opens,
        body: CreateOAuth2ApplicationOptions,
        responses: made(OAuth2Application, "The application, with its secret"),
      },
      async ({ doer, actor, body }) => {
        const fields = readFields(body);
        return created(present(await forge.change(doer, (work) => createApplication(work, actor, fields))));
      },
    )
    .get(
      "/:id",
      {
        operationId: "userGetOAuth2Application",
        summary: "Get one of one's own OAuth applications",
        params: { id: rowId("Id of the application") },
        responses: { ...ok(OAuth2Application, "The application, without its secret"), ...notFound },
      },
      async ({ actor, params: { id } }) => {
        const row = await findOwnApplication(db, actor.id, id);
        if (row === null) {
          throw new NotFound("application", String(id));
        }
        return present({ row, secret: "" });
      },
    )
    .patch(
      "/:id",
      {
        operationId: "userUpdateOAuth2Application",
        summary: "Change an OAuth application and give it a new secret",
        description: "The secret before is void from then on.",
        params: { id: rowId("Id of the application") },
        givesAccess: opens,
        body: CreateOAuth2ApplicationOptions,
        responses: { ...ok(OAuth2Application, "The application, with its new secret"), ...notFound },
      },
      async ({ doer, actor, params: { id }, body }) => {
        const fields = readFields(body);
        return present(await forge.change(doer, (work) => editApplication(work, actor, id, fields)));
      },
    )
    .delete(
      "/:id",
      {
        operationId: "userDeleteOAuth2Application",
        summary: "Delete an OAuth application",
        description: "Everything that users granted it ends.",
        params: { id: rowId("Id of the application") },
        responses: { ...done, ...notFound },
      },
      async ({ doer, actor, params: { id } }) => {
        await forge.change(doer, (work) => deleteApplication(work, actor, id));
        return empty();
      },
    );
}
