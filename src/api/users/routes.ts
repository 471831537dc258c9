import { Elysia, t } from "elysia";
import type { Api } from "../common/api.ts";
import { notFound, signInNeeded, ok } from "../common/responses.ts";
import { presentOwner } from "./present.ts";
import { User } from "./schema.ts";

export function userRoutes({ forge, endpoint }: Api) {
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
          summary: "Get a user",
          scopes: ["user"],
          may: { on: "owner", do: "see" },
          params: t.Object({ username: t.String({ description: "Name of the user" }) }),
          responses: { ...ok(User, "The user"), ...notFound },
        },
        ({ actor, owner }) => presentOwner(forge.addresses, owner.owner, actor, actor?.id === owner.owner.id ? actor : null),
      ),
    );
}
