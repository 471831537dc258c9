import { t } from "elysia";
import type { RepositoryAccess } from "../../auth/subject.ts";
import { findWatch, listRelatedUsers } from "../../domain/identity/social/queries.ts";
import type { Api } from "../common/api.ts";
import { presentInstant } from "../common/instants.ts";
import { empty } from "../common/reply.ts";
import { done, no, ok } from "../common/responses.ts";
import { pagingQuery } from "../common/schema.ts";
import { repositoryPage } from "../repos/repository-page.ts";
import { Repository } from "../repos/schema.ts";
import { User } from "../users/schema.ts";
import { userPage } from "../users/user-page.ts";
import { WatchInfo } from "./schema.ts";
import { unwatchRepository, watchRepository } from "../../domain/identity/social/mark-repository.ts";

const newest = { by: "id", descending: true } as const;

/** Watching: being told what happens in a repository. */
export function watchRoutes({ forge, group }: Api) {
  const { addresses, database } = forge;

  function present({ owner, repository }: RepositoryAccess, since: Date) {
    const address = addresses.repositoryApi(owner.name, repository.name);
    return {
      subscribed: true,
      ignored: false,
      reason: null,
      created_at: presentInstant(since),
      url: `${address}/subscription`,
      repository_url: address,
    };
  }

  return group("", {
    tag: "repository",
    scopes: ["repository"],
    may: { on: "repository", do: "read", unit: "any" },
    // A watch is the user's, not the repository's.
    onArchived: "allowed",
  })
    .get(
      "/user/subscriptions",
      {
        operationId: "userCurrentListSubscriptions",
        summary: "List the repositories that the signed-in user watches",
        tag: "user",
        scopes: ["user"],
        may: { on: "account", do: "act-as-self" },
        query: pagingQuery,
        responses: ok(t.Array(Repository), "The repositories"),
      },
      (asked) => repositoryPage(forge, asked, { watchedBy: asked.actor.id }, newest),
    )
    .get(
      "/users/:username/subscriptions",
      {
        operationId: "userListSubscriptions",
        summary: "List the repositories that a user watches",
        tag: "user",
        scopes: ["user"],
        may: { on: "user", do: "see" },
        signedIn: true,
        query: pagingQuery,
        responses: ok(t.Array(Repository), "The repositories"),
      },
      (asked) => repositoryPage(forge, asked, { watchedBy: asked.owner.owner.id }, newest),
    )
    .get(
      "/repos/:owner/:repo/subscribers",
      {
        operationId: "repoListSubscribers",
        summary: "List who watches a repository",
        query: pagingQuery,
        responses: ok(t.Array(User), "The users"),
      },
      (asked) =>
        userPage(addresses, asked, (page) =>
          listRelatedUsers(database.db, asked, "watchers", asked.repository.repository.id, page),
        ),
    )
    .get(
      "/repos/:owner/:repo/subscription",
      {
        operationId: "userCurrentCheckSubscription",
        summary: "Ask whether the signed-in user watches a repository",
        signedIn: true,
        responses: { ...ok(WatchInfo, "The user watches it"), ...no },
      },
      async ({ actor, repository }) => {
        const found = await findWatch(database.db, actor.id, repository.repository.id);
        return found === null ? empty(404) : present(repository, found.createdAt);
      },
    )
    .put(
      "/repos/:owner/:repo/subscription",
      {
        operationId: "userCurrentPutSubscription",
        summary: "Watch a repository",
        may: { on: "repository", do: "participate", unit: "any" },
        responses: ok(WatchInfo, "The user watches it"),
      },
      async ({ doer, actor, repository }) => {
        return present(repository, await forge.change(doer, (work) => watchRepository(work, actor, repository)));
      },
    )
    .delete(
      "/repos/:owner/:repo/subscription",
      { operationId: "userCurrentDeleteSubscription", summary: "No longer watch a repository", responses: done },
      async ({ doer, actor, repository }) => {
        await forge.change(doer, (work) => unwatchRepository(work, actor, repository));
        return empty();
      },
    );
}
