import { Elysia, t } from "elysia";
import type { Actor, OwnerAccess } from "../../auth/subject.ts";
import { findAccount } from "../../domain/users/queries.ts";
import type { Api } from "../common/api.ts";
import { notFound, signInNeeded, ok } from "../common/responses.ts";
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
