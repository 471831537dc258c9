import { t } from "elysia";
import type { RepositoryOrder } from "../../domain/repos/list-filter.ts";
import type { Api } from "../common/api.ts";
import { ok } from "../common/responses.ts";
import { oneOf, pagingQuery } from "../common/schema.ts";
import { repositoryPage } from "./repository-page.ts";
import { Repository, SearchResults } from "./schema.ts";
import { readFilter, readOrder, searchQuery } from "./search.ts";

/** The family's names of orders. */
const orders = {
  name: { by: "alpha", descending: false },
  alphabetically: { by: "alpha", descending: false },
  reversealphabetically: { by: "alpha", descending: true },
  id: { by: "id", descending: false },
  newest: { by: "created", descending: true },
  oldest: { by: "created", descending: false },
  recentupdate: { by: "updated", descending: true },
  leastupdate: { by: "updated", descending: false },
  size: { by: "size", descending: false },
  reversesize: { by: "size", descending: true },
  gitsize: { by: "git-size", descending: false },
  reversegitsize: { by: "git-size", descending: true },
  lfssize: { by: "lfs-size", descending: false },
  reverselfssize: { by: "lfs-size", descending: true },
  moststars: { by: "stars", descending: true },
  feweststars: { by: "stars", descending: false },
  mostforks: { by: "forks", descending: true },
  fewestforks: { by: "forks", descending: false },
} as const satisfies Record<string, RepositoryOrder>;

const orderNames = Object.keys(orders) as [keyof typeof orders, ...(keyof typeof orders)[]];
const byId: RepositoryOrder = { by: "id", descending: false };

/** Lists of repositories: each filtered by what the caller may see, inside its one query. */
export function repositoryListRoutes({ forge, group }: Api) {
  return group("", { tag: "user", scopes: ["user", "repository"], may: { on: "account", do: "act-as-self" } })
    .get(
      "/user/repos",
      {
        operationId: "userCurrentListRepos",
        summary: "List the repositories that the signed-in user owns or takes part in",
        query: { order_by: t.Optional(oneOf(orderNames, "By name if absent")), ...pagingQuery },
        responses: ok(t.Array(Repository), "The repositories"),
      },
      (asked) =>
        repositoryPage(forge, asked, { participantId: asked.actor.id }, orders[asked.query.order_by ?? "name"]),
    )
    .get(
      "/users/:username/repos",
      {
        operationId: "userListRepos",
        summary: "List the repositories of a user",
        may: { on: "owner", do: "see" },
        query: pagingQuery,
        responses: ok(t.Array(Repository), "The repositories"),
      },
      (asked) => repositoryPage(forge, asked, { ownerId: asked.owner.owner.id }, byId),
    )
    .get(
      "/orgs/:org/repos",
      {
        operationId: "orgListRepos",
        summary: "List the repositories of an organization",
        tag: "organization",
        scopes: ["organization"],
        may: { on: "organization", do: "see" },
        query: pagingQuery,
        responses: ok(t.Array(Repository), "The repositories"),
      },
      (asked) => repositoryPage(forge, asked, { ownerId: asked.owner.owner.id }, byId),
    )
    .get(
      "/repos/search",
      {
        operationId: "repoSearch",
        summary: "Search for repositories",
        tag: "repository",
        scopes: ["repository"],
        may: { on: "instance", do: "use" },
        query: searchQuery.properties,
        responses: ok(SearchResults, "The repositories"),
      },
      (asked) =>
        repositoryPage(forge, asked, readFilter(asked.query, asked.actor), readOrder(asked.query), (data) => ({
          ok: true,
          data,
        })),
    );
}
