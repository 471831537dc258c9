import { t } from "elysia";
import { knownUsers } from "../../domain/work/comments/queries.ts";
import { findVisibleRepositories } from "../../domain/repos/forks/queries.ts";
import { endMaintainerEdit } from "../../domain/work/pulls/end-maintainer-edit.ts";
import { listMaintained } from "../../domain/work/pulls/maintained-queries.ts";
import type { Api } from "../common/api.ts";
import { paged, readPage } from "../common/paging.ts";
import { empty } from "../common/reply.ts";
import { done, ok } from "../common/responses.ts";
import { pagingQuery, rowId } from "../common/schema.ts";
import { presentOwner } from "../users/present.ts";
import { MaintainerEdit } from "./schema.ts";

/** Which branches of a repository the maintainers of others may push to. */
export function maintainerEditRoutes({ forge, group }: Api) {
  const { addresses, database } = forge;

  return group("/repos/:owner/:repo/maintainer_edits", {
    tag: "repository",
    scopes: ["repository"],
    may: { on: "repository", do: "write", unit: "code" },
  })
    .get(
      "",
      {
        operationId: "repoListMaintainerEdits",
        summary: "List the branches that maintainers of other repositories may push to",
        description:
          "Those with an open pull request that lets maintainers of its base edit it, also if the caller may not read that. Then base is null.",
        query: pagingQuery,
        responses: ok(t.Array(MaintainerEdit), "The branches, ordered by pull request"),
      },
      async ({ repository, query, request, actor, credential }) => {
        const page = readPage(query);
        const viewer = { actor, credential };
        const all = await listMaintained(database.db, repository.repository.id);
        const shown = all.slice(page.offset, page.offset + page.size);
        const givers = await knownUsers(
          database.db,
          viewer,
          shown.map(({ giverId }) => giverId),
        );
        const bases = await findVisibleRepositories(database.db, viewer, [
          ...new Set(shown.map(({ baseId }) => baseId)),
        ]);
        const edits = shown.map(({ pullId, branch, baseId, baseName, giverId }) => {
          const giver = givers.get(giverId);
          const user = giver === undefined ? null : presentOwner(addresses, giver, actor);
          return { id: pullId, branch, base: bases.has(baseId) ? baseName : null, user };
        });
        return paged({ request, base: addresses.base }, page, all.length, edits);
      },
    )
    .delete(
      "/:id",
      {
        operationId: "repoDeleteMaintainerEdit",
        summary: "Let maintainers of another repository no longer push to a branch",
        description: "As allow_maintainer_edit: false of the pull request, also if the caller may not read that.",
        params: { id: rowId("Id of the pull request, as the list has it") },
        responses: done,
      },
      async ({ doer, repository, params }) => {
        await forge.change(doer, (work) => endMaintainerEdit(work, repository, params.id));
        return empty();
      },
    );
}
