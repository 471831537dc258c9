import { t } from "elysia";
import { listEntitled } from "../../domain/repos/entitled-queries.ts";
import type { Api } from "../common/api.ts";
import { ok } from "../common/responses.ts";
import { presentOwner } from "../users/present.ts";
import { User } from "../users/schema.ts";

/**
 * The users who can be assigned in a repository. Whole lists, not pages, because clients of the family request no
 * second page.
 */
export function repositoryMemberRoutes({ forge, group }: Api) {
  const { addresses, database } = forge;

  return group("/repos/:owner/:repo", {
    tag: "repository",
    scopes: ["repository"],
    may: { on: "repository", do: "read", unit: "any" },
  })
    .get(
      "/assignees",
      {
        operationId: "repoGetAssignees",
        summary: "List the users to whom issues and pull requests can be assigned",
        description:
          "Those who were given write access to issues or pull requests, as far as the caller knows of them.",
        signedIn: true,
        responses: ok(t.Array(User), "The users, by name"),
      },
      async ({ actor, credential, repository }) => {
        const rows = await listEntitled(database.db, { actor, credential }, repository, ["issues", "pulls"], "write");
        return rows.map((row) => presentOwner(addresses, row, actor));
      },
    )
    .get(
      "/reviewers",
      {
        operationId: "repoGetReviewers",
        summary: "List the users who can be asked for a review",
        description: "Those who were given read access to pull requests, as far as the caller knows of them.",
        signedIn: true,
        responses: ok(t.Array(User), "The users, by name"),
      },
      async ({ actor, credential, repository }) => {
        const rows = await listEntitled(database.db, { actor, credential }, repository, ["pulls"], "read");
        return rows.map((row) => presentOwner(addresses, row, actor));
      },
    );
}
