import { Elysia, t } from "elysia";
import { hasStarred, insertStar, listRelatedUsers, removeStar } from "../../domain/social/queries.ts";
import type { Api } from "../common/api.ts";
import { empty } from "../common/reply.ts";
import { done, forbidden, no, notFound, ok, signInNeeded } from "../common/responses.ts";
import { pagingQuery, repositoryParams } from "../common/schema.ts";
import { repositoryPage } from "../repos/repository-page.ts";
import { Repository } from "../repos/schema.ts";
import { User } from "../users/schema.ts";
import { userPage } from "../users/user-page.ts";
import { userOf } from "./follow-routes.ts";

const newest = { by: "id", descending: true } as const;

/** Stars: what users want to find again, and let others see that they do. */
export function starRoutes({ forge, endpoint }: Api) {
  const { addresses, database } = forge;

  const marks = {
    tag: "user",
    scopes: ["user", "repository"],
    may: { on: "repository", do: "read" },
    signedIn: true,
    params: t.Object(repositoryParams),
    responses: { ...done, ...signInNeeded, ...forbidden, ...notFound },
  } as const;

  return new Elysia()
    .get(
      "/user/starred",
      ...endpoint(
        {
          operationId: "userCurrentListStarred",
          tag: "user",
          summary: "List the repositories that the signed-in user starred",
          scopes: ["user", "repository"],
          may: { on: "account", do: "act-as-self" },
          signedIn: true,
          query: t.Object(pagingQuery),
          responses: { ...ok(t.Array(Repository), "The repositories"), ...signInNeeded, ...forbidden },
        },
        (asked) => repositoryPage(forge, asked, { starredBy: asked.actor.id }, newest),
      ),
    )
    .get(
      "/users/:username/starred",
      ...endpoint(
        {
          operationId: "userListStarred",
          tag: "user",
          summary: "List the repositories that a user starred",
          scopes: ["user"],
          may: { on: "owner", do: "see" },
          signedIn: true,
          params: t.Object({ username: t.String({ description: "Name of the user" }) }),
          query: t.Object(pagingQuery),
          responses: { ...ok(t.Array(Repository), "The repositories"), ...signInNeeded, ...notFound },
        },
        (asked) => repositoryPage(forge, asked, { starredBy: userOf(asked.owner).id }, newest),
      ),
    )
    .get(
      "/user/starred/:owner/:repo",
      ...endpoint({ ...marks, operationId: "userCurrentCheckStarring", summary: "Ask whether the signed-in user starred a repository", responses: { ...marks.responses, ...no } }, async ({ actor, repository: { repository } }) =>
        empty((await hasStarred(database.db, actor.id, repository.id)) ? 204 : 404),
      ),
    )
    .put(
      "/user/starred/:owner/:repo",
      ...endpoint({ ...marks, operationId: "userCurrentPutStar", summary: "Star a repository", may: { on: "repository", do: "participate" } }, async ({ actor, repository: { repository } }) => {
        await database.db.transaction((tx) => insertStar(tx, actor.id, repository.id));
        return empty();
      }),
    )
    .delete(
      "/user/starred/:owner/:repo",
      ...endpoint({ ...marks, operationId: "userCurrentDeleteStar", summary: "Take a star back" }, async ({ actor, repository: { repository } }) => {
        await database.db.transaction((tx) => removeStar(tx, actor.id, repository.id));
        return empty();
      }),
    )
    .get(
      "/repos/:owner/:repo/stargazers",
      ...endpoint(
        {
          operationId: "repoListStargazers",
          tag: "repository",
          summary: "List who starred a repository",
          scopes: ["repository"],
          may: { on: "repository", do: "read" },
          params: t.Object(repositoryParams),
          query: t.Object(pagingQuery),
          responses: { ...ok(t.Array(User), "The users"), ...notFound },
        },
        (asked) => userPage(addresses, asked, (page) => listRelatedUsers(database.db, asked, "stargazers", asked.repository.repository.id, page)),
      ),
    );
}
