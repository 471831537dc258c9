import { Elysia, t, type Static } from "elysia";
import { NotFound } from "../../domain/errors.ts";
import { findOwnApplication, listApplications } from "../../domain/oauth/application-queries.ts";
import { createApplication, deleteApplication, editApplication, type ApplicationFields, type MadeApplication } from "../../domain/oauth/applications.ts";
import type { Api } from "../common/api.ts";
import { pageOf } from "../common/paging.ts";
import { created, empty } from "../common/reply.ts";
import { badRequest, done, forbidden, invalid, made, notFound, ok, signInNeeded } from "../common/responses.ts";
import { pagingQuery, rowId } from "../common/schema.ts";
import { CreateOAuth2ApplicationOptions, OAuth2Application } from "./schema.ts";

const own = { tag: "user", scopes: ["user"], may: { on: "account", do: "act-as-self" }, signedIn: true } as const;
const params = t.Object({ id: rowId("Id of the application") });

function present({ row, secret }: MadeApplication) {
  return {
    id: row.id,
    name: row.name,
    client_id: row.clientId,
    client_secret: secret,
    confidential_client: row.confidential,
    redirect_uris: row.redirectUris,
    created: row.createdAt.toISOString(),
  };
}

/** What is left out counts as empty, as in the family, and is refused as that. */
function readFields({ name = "", redirect_uris: redirectUris = [], confidential_client: confidential = false }: Static<typeof CreateOAuth2ApplicationOptions>): ApplicationFields {
  return { name, redirectUris, confidential };
}

/** The applications of a user, which let others sign in with their account here. */
export function applicationRoutes({ forge, endpoint }: Api) {
  const { db } = forge.database;
  return new Elysia({ prefix: "/user/applications/oauth2" })
    .get(
      "",
      ...endpoint(
        {
          ...own,
          operationId: "userGetOAuth2Applications",
          summary: "List one's own OAuth applications",
          query: t.Object(pagingQuery),
          responses: { ...ok(t.Array(OAuth2Application), "The applications, newest first, without their secrets"), ...signInNeeded, ...forbidden },
        },
        async ({ request, actor, query }) => {
          return pageOf({ request, query, base: forge.addresses.base }, (page) => listApplications(db, actor.id, page), (row) => present({ row, secret: "" }));
        },
      ),
    )
    .post(
      "",
      ...endpoint(
        {
          ...own,
          operationId: "userCreateOAuth2Application",
          summary: "Register an OAuth application",
          body: CreateOAuth2ApplicationOptions,
          responses: { ...made(OAuth2Application, "The application, with its secret"), ...badRequest, ...signInNeeded, ...forbidden, ...invalid },
        },
        async ({ actor, body }) => {
          const fields = readFields(body);
          return created(present(await db.transaction((tx) => createApplication(tx, actor.id, fields))));
        },
      ),
    )
    .get(
      "/:id",
      ...endpoint(
        {
          ...own,
          operationId: "userGetOAuth2Application",
          summary: "Get one of one's own OAuth applications",
          params,
          responses: { ...ok(OAuth2Application, "The application, without its secret"), ...signInNeeded, ...forbidden, ...notFound },
        },
        async ({ actor, params: { id } }) => {
          const row = await findOwnApplication(db, actor.id, id);
          if (row === null) {
            throw new NotFound("application", String(id));
          }
          return present({ row, secret: "" });
        },
      ),
    )
    .patch(
      "/:id",
      ...endpoint(
        {
          ...own,
          operationId: "userUpdateOAuth2Application",
          summary: "Change an OAuth application and give it a new secret",
          description: "The secret before is void from then on.",
          params,
          body: CreateOAuth2ApplicationOptions,
          responses: { ...ok(OAuth2Application, "The application, with its new secret"), ...badRequest, ...signInNeeded, ...forbidden, ...notFound, ...invalid },
        },
        async ({ actor, params: { id }, body }) => {
          const fields = readFields(body);
          return present(await db.transaction((tx) => editApplication(tx, actor.id, id, fields)));
        },
      ),
    )
    .delete(
      "/:id",
      ...endpoint(
        {
          ...own,
          operationId: "userDeleteOAuth2Application",
          summary: "Delete an OAuth application",
          description: "Everything that users granted it ends.",
          params,
          responses: { ...done, ...signInNeeded, ...forbidden, ...notFound },
        },
        async ({ actor, params: { id } }) => {
          await db.transaction((tx) => deleteApplication(tx, actor.id, id));
          return empty();
        },
      ),
    );
}
