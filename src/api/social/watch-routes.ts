import { Elysia, t } from "elysia";
import type { RepositoryAccess } from "../../auth/subject.ts";
import { findWatch, insertWatch, listRelatedUsers, removeWatch } from "../../domain/social/queries.ts";
import type { Api } from "../common/api.ts";
import { empty } from "../common/reply.ts";
import { done, forbidden, no, notFound, ok, signInNeeded } from "../common/responses.ts";
import { pagingQuery, repositoryParams } from "../common/schema.ts";
import { repositoryPage } from "../repos/repository-page.ts";
import { Repository } from "../repos/schema.ts";
import { User } from "../users/schema.ts";
import { userPage } from "../users/user-page.ts";
import { userOf } from "./follow-routes.ts";
import { WatchInfo } from "./schema.ts";

const newest = { by: "id", descending: true } as const;

/** Watching: being told what happens in a repository. */
export function watchRoutes({ forge, endpoint }: Api) {
  const { addresses, database } = forge;

  function present({ owner, repository }: RepositoryAccess, since: Date) {
    const address = addresses.repositoryApi(owner.name, repository.name);
    return { subscribed: true, ignored: false, reason: null, created_at: since.toISOString(), url: `${address}/subscription`, repository_url: address };
  }

  const watches = {
    tag: "repository",
    scopes: ["repository"],
    may: { on: "repository", do: "read" },
    signedIn: true,
    params: t.Object(repositoryParams),
  } as const;

  return new Elysia()
    .get(
      "/user/subscriptions",
      ...endpoint(
        {
          operationId: "userCurrentListSubscriptions",
          tag: "user",
          summary: "List the repositories that the signed-in user watches",
          scopes: ["user"],
          may: { on: "account", do: "act-as-self" },
          signedIn: true,
          query: t.Object(pagingQuery),
          responses: { ...ok(t.Array(Repository), "The repositories"), ...signInNeeded, ...forbidden },
        },
        (asked) => repositoryPage(forge, asked, { watchedBy: asked.actor.id }, newest),
      ),
    )
    .get(
      "/users/:username/subscriptions",
      ...endpoint(
        {
          operationId: "userListSubscriptions",
          tag: "user",
          summary: "List the repositories that a user watches",
          scopes: ["user"],
          may: { on: "owner", do: "see" },
          signedIn: true,
          params: t.Object({ username: t.String({ description: "Name of the user" }) }),
          query: t.Object(pagingQuery),
          responses: { ...ok(t.Array(Repository), "The repositories"), ...signInNeeded, ...notFound },
        },
        (asked) => repositoryPage(forge, asked, { watchedBy: userOf(asked.owner).id }, newest),
      ),
    )
    .get(
      "/repos/:owner/:repo/subscribers",
      ...endpoint(
        {
          operationId: "repoListSubscribers",
          tag: "repository",
          summary: "List who watches a repository",
          scopes: ["repository"],
          may: { on: "repository", do: "read" },
          params: t.Object(repositoryParams),
          query: t.Object(pagingQuery),
          responses: { ...ok(t.Array(User), "The users"), ...notFound },
        },
        (asked) => userPage(addresses, asked, (page) => listRelatedUsers(database.db, asked, "watchers", asked.repository.repository.id, page)),
      ),
    )
    .get(
      "/repos/:owner/:repo/subscription",
      ...endpoint(
        {
          ...watches,
          operationId: "userCurrentCheckSubscription",
          summary: "Ask whether the signed-in user watches a repository",
          responses: { ...ok(WatchInfo, "The user watches it"), ...signInNeeded, ...no },
        },
        async ({ actor, repository }) => {
          const found = await findWatch(database.db, actor.id, repository.repository.id);
          return found === null ? empty(404) : present(repository, found.createdAt);
        },
      ),
    )
    .put(
      "/repos/:owner/:repo/subscription",
      ...endpoint(
        { ...watches, may: { on: "repository", do: "participate" }, operationId: "userCurrentPutSubscription", summary: "Watch a repository", responses: { ...ok(WatchInfo, "The user watches it"), ...signInNeeded, ...forbidden, ...notFound } },
        async ({ actor, repository }) => {
          const since = await database.db.transaction(async (tx) => {
            await insertWatch(tx, actor.id, repository.repository.id);
            return findWatch(tx, actor.id, repository.repository.id);
          });
          return present(repository, since?.createdAt ?? new Date());
        },
      ),
    )
    .delete(
      "/repos/:owner/:repo/subscription",
      ...endpoint(
        { ...watches, operationId: "userCurrentDeleteSubscription", summary: "No longer watch a repository", responses: { ...done, ...signInNeeded, ...notFound } },
        async ({ actor, repository: { repository } }) => {
          await database.db.transaction((tx) => removeWatch(tx, actor.id, repository.id));
          return empty();
        },
      ),
    );
}
