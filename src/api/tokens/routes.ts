import { t, type Static } from "elysia";
import type { Actor } from "../../auth/subject.ts";
import { Forbidden } from "../../domain/spine/errors.ts";
import { createToken } from "../../domain/identity/tokens/create-token.ts";
import { deleteToken } from "../../domain/identity/tokens/delete-token.ts";
import { listAccessTokens, type AccessTokenRow } from "../../domain/identity/tokens/queries.ts";
import type { Api } from "../common/api.ts";
import { presentInstant, readInstant } from "../common/instants.ts";
import { pageOf } from "../common/paging.ts";
import { created, empty } from "../common/reply.ts";
import { done, invalid, made, ok } from "../common/responses.ts";
import { pagingQuery } from "../common/schema.ts";
import { AccessToken, CreateAccessTokenOption } from "./schema.ts";

function present(
  { row, repositories }: { row: AccessTokenRow; repositories: string[] | null },
  value = "",
): Static<typeof AccessToken> {
  return {
    id: row.id,
    name: row.name,
    sha1: value,
    token_last_eight: row.lastEight,
    scopes: row.scopes,
    created_at: presentInstant(row.createdAt),
    last_used_at: presentInstant(row.lastUsedAt),
    expires_at: presentInstant(row.expiresAt),
    repositories,
  };
}

/** A token cannot make one with more rights than its user, but a leaked one could outlive itself. */
function requirePassword(actor: Actor, kind: string): void {
  if (kind === "token") {
    throw new Forbidden(`Tokens are managed with the password of "${actor.name}", not with a token`);
  }
}

export function tokenRoutes({ forge, group }: Api) {
  const { database } = forge;
  return group("/users/:username/tokens", { tag: "user", scopes: ["user"], may: { on: "user", do: "manage" } })
    .get(
      "",
      {
        operationId: "userGetTokens",
        summary: "List a user's access tokens",
        query: pagingQuery,
        responses: ok(t.Array(AccessToken), "The tokens, newest first, without their values"),
      },
      async ({ request, owner, query }) => {
        return pageOf(
          { request, query, base: forge.addresses.base },
          (page) => listAccessTokens(database.db, owner.owner.id, page),
          (each) => present(each),
        );
      },
    )
    .post(
      "",
      {
        operationId: "userCreateToken",
        summary: "Create an access token",
        description: "Needs the user's password: a token cannot make tokens.",
        body: CreateAccessTokenOption,
        responses: made(AccessToken, "The token, with its value"),
      },
      async ({ doer, actor, credential, owner, body }) => {
        requirePassword(actor, credential.kind);
        const userIsAdmin = actor.id === owner.owner.id ? actor.isAdmin : false;
        const expiresAt = body.expires_at === undefined ? undefined : readInstant(body.expires_at, "expires_at");
        const token = {
          userId: owner.owner.id,
          userIsAdmin,
          name: body.name,
          scopes: body.scopes ?? [],
          ...(expiresAt === undefined ? {} : { expiresAt }),
          ...(body.repositories === undefined ? {} : { repositories: body.repositories }),
        };
        const { value, ...made } = await forge.change(doer, (work) =>
          createToken(work, token, forge.config.auth.tokens_per_user),
        );
        return created(present(made, value));
      },
    )
    .delete(
      "/:token",
      {
        operationId: "userDeleteAccessToken",
        summary: "Delete an access token",
        params: { token: t.String({ description: "Id or name of the token" }) },
        responses: { ...done, ...invalid },
      },
      async ({ doer, actor, credential, owner, params }) => {
        requirePassword(actor, credential.kind);
        await forge.change(doer, (work) => deleteToken(work, owner.owner, params.token));
        return empty();
      },
    );
}
