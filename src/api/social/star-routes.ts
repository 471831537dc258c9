import { t } from "elysia";
import { hasStarred, listRelatedUsers } from "../../domain/identity/social/queries.ts";
import type { Api } from "../common/api.ts";
import { empty, yesOrNo } from "../common/reply.ts";
import { done, no, ok } from "../common/responses.ts";
import { pagingQuery } from "../common/schema.ts";
import { repositoryPage } from "../repos/repository-page.ts";
import { Repository } from "../repos/schema.ts";
import { User } from "../users/schema.ts";
import { userPage } from "../users/user-page.ts";
import { starRepository, unstarRepository } from "../../domain/identity/social/mark-repository.ts";

const newest = { by: "id", descending: true } as const;

/** Stars: what users want to find again, and let others see that they do. */
export function starRoutes({ forge, group }: Api) {
  const { addresses, database } = forge;

  return group("", {
    tag: "user",
    scopes: ["user", "repository"],
    may: { on: "repository", do: "read", unit: "any" },
    // A star is the user's, not the repository's.
    onArchived: "allowed",
  })
    .get(
      "/user/starred",
      {
        operationId: "userCurrentListStarred",
        summary: "List the repositories that the signed-in user starred",
        may: { on: "account", do: "act-as-self" },
        query: pagingQuery,
        responses: ok(t.Array(Repository), "The repositories"),
      },
      (asked) => repositoryPage(forge, asked, { starredBy: asked.actor.id }, newest),
    )
    .get(
      "/users/:username/starred",
      {
        operationId: "userListStarred",
        summary: "List the repositories that a user starred",
        scopes: ["user"],
        may: { on: "user", do: "see" },
        signedIn: true,
        query: pagingQuery,
        responses: ok(t.Array(Repository), "The repositories"),
      },
      (asked) => repositoryPage(forge, asked, { starredBy: asked.owner.owner.id }, newest),
    )
    .get(
      "/user/starred/:owner/:repo",
      {
        operationId: "userCurrentCheckStarring",
        summary: "Ask whether the signed-in user starred a repository",
        signedIn: true,
        responses: { ...done, ...no },
      },
      async ({ actor, repository: { repository } }) => yesOrNo(await hasStarred(database.db, actor.id, repository.id)),
    )
    .put(
      "/user/starred/:owner/:repo",
      {
        operationId: "userCurrentPutStar",
        summary: "Star a repository",
        may: { on: "repository", do: "participate", unit: "any" },
        responses: done,
      },
      async ({ doer, actor, repository }) => {
        await forge.change(doer, (work) => starRepository(work, actor, repository));
        return empty();
      },
    )
    .delete(
      "/user/starred/:owner/:repo",
      { operationId: "userCurrentDeleteStar", summary: "Take a star back", responses: done },
      async ({ doer, actor, repository }) => {
        await forge.change(doer, (work) => unstarRepository(work, actor, repository));
        return empty();
      },
    )
    .get(
      "/repos/:owner/:repo/stargazers",
      {
        operationId: "repoListStargazers",
        summary: "List who starred a repository",
        tag: "repository",
        scopes: ["repository"],
        query: pagingQuery,
        responses: ok(t.Array(User), "The users"),
      },
      (asked) =>
        userPage(addresses, asked, (page) =>
          listRelatedUsers(database.db, asked, "stargazers", asked.repository.repository.id, page),
        ),
    );
}
