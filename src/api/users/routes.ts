import { Elysia, t } from "elysia";
import { isPublicOnly } from "../../auth/authorize.ts";
import type { Actor, OwnerAccess } from "../../auth/subject.ts";
import { searchUsers } from "../../domain/users/list-queries.ts";
import { findAccount } from "../../domain/users/queries.ts";
import type { Api } from "../common/api.ts";
import { pageOf } from "../common/paging.ts";
import { invalid, notFound, ok, signInNeeded } from "../common/responses.ts";
import { integer, pagingQuery } from "../common/schema.ts";
import { presentOwner } from "./present.ts";
import { User } from "./schema.ts";

export function userRoutes({ forge, endpoint }: Api) {
  /** What only the user and site administrators see; null for everybody else. */
  async function accountFor(viewer: Actor | null, { owner }: OwnerAccess) {
    return viewer?.id === owner.id ? viewer : viewer?.isAdmin === true ? findAccount(forge.database.db, owner.id) : null;
  }

  return new Elysia()
    .get(
      "/user",
      ...endpoint(
        {
          operationId: "userGetCurrent",
          tag: "user",
          summary: "Get the signed-in user",
          scopes: ["user"],
          may: { on: "account", do: "act-as-self" },
          signedIn: true,
          responses: { ...ok(User, "The user"), ...signInNeeded },
        },
        ({ actor }) => presentOwner(forge.addresses, actor, actor, actor),
      ),
    )
    .get(
      "/users/search",
      ...endpoint(
        {
          operationId: "userSearch",
          tag: "user",
          summary: "Search users",
          description: "Among the users that the caller may know of; organizations are not among them.",
          scopes: ["user"],
          may: { on: "instance", do: "use" },
          query: t.Object({
            q: t.Optional(t.String({ description: "Part of the name or full name, or a whole e-mail address" })),
            uid: t.Optional(integer({ description: "Only the user with this id" })),
            ...pagingQuery,
          }),
          responses: { ...ok(t.Object({ ok: t.Boolean(), data: t.Array(User) }), "The users, by name"), ...invalid },
        },
        async ({ request, actor, credential, query }) => {
          const search = { text: query.q ?? "", publicOnly: isPublicOnly(credential), ...(query.uid === undefined ? {} : { id: query.uid }) };
          return pageOf(
            { request, query, base: forge.addresses.base },
            (page) => searchUsers(forge.database.db, actor, search, page),
            (row) => presentOwner(forge.addresses, row, actor, row.id === actor?.id ? actor : null),
            (data) => ({ ok: true, data }),
          );
        },
      ),
    )
    .get(
      "/users/:username",
      ...endpoint(
        {
          operationId: "userGet",
          tag: "user",
          summary: "Get a user, or an organization as one",
          scopes: ["user"],
          may: { on: "owner", do: "see" },
          params: t.Object({ username: t.String({ description: "Name of the user or organization" }) }),
          responses: { ...ok(User, "The user"), ...notFound },
        },
        async ({ actor, owner }) => presentOwner(forge.addresses, owner.owner, actor, await accountFor(actor, owner)),
      ),
    );
}
