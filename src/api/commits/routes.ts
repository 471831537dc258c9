import { Elysia, t } from "elysia";
import { NotFound } from "../../domain/errors.ts";
import { listCommits } from "../../domain/commits/list-commits.ts";
import { prepareFindUsersByEmail } from "../../domain/commits/queries.ts";
import { isRefName } from "../../git/refs/ref-name.ts";
import { InvalidInput } from "../../lib/errors.ts";
import type { Api } from "../common/api.ts";
import { paged, readPage } from "../common/paging.ts";
import { conflict, invalid, notFound, ok } from "../common/responses.ts";
import { pagingQuery, repositoryParams } from "../common/schema.ts";
import { emailsOf, placeOf, presentCommit } from "./present.ts";
import { Commit, commitDetails } from "./schema.ts";

export function commitRoutes({ forge, endpoint }: Api) {
  const findUsers = prepareFindUsersByEmail(forge.database.db, () => forge.addresses.hostname);
  return new Elysia({ prefix: "/repos/:owner/:repo" })
    .get(
      "/commits",
      ...endpoint(
        {
          operationId: "repoGetAllCommits",
          tag: "repository",
          summary: "List commits, latest first",
          scopes: ["repository"],
          may: { on: "repository", do: "read", unit: "code" },
          params: t.Object(repositoryParams),
          query: t.Object({
            sha: t.Optional(t.String({ description: "A branch, tag or commit to start from; the default branch otherwise" })),
            path: t.Optional(t.String({ description: "Only commits that change this file or directory" })),
            ...commitDetails,
            ...pagingQuery,
            not: t.Optional(t.String({ description: "A branch, tag or commit that is left out with all that it reaches; several are divided by commas" })),
          }),
          responses: { ...ok(t.Array(Commit), "The commits"), ...notFound, ...conflict },
        },
        async ({ actor, repository, query, request, signal }) => {
          const page = readPage(query);
          const { commits, total } = await listCommits(
            forge,
            repository.repository,
            { revision: query.sha, path: query.path, not: query.not, skip: page.offset, limit: page.size, stats: query.stat ?? true, files: query.files ?? true },
            signal,
          );
          const users = await findUsers(emailsOf(commits));
          const place = placeOf(forge.addresses, repository);
          const value = commits.map((commit) => presentCommit(place, commit, users, actor, query.verification ?? true));
          return paged({ request, base: forge.addresses.base }, page, total, value);
        },
      ),
    )
    .get(
      "/git/commits/:sha",
      ...endpoint(
        {
          operationId: "repoGetSingleCommit",
          tag: "repository",
          summary: "Get one commit",
          scopes: ["repository"],
          may: { on: "repository", do: "read", unit: "code" },
          params: t.Object({ ...repositoryParams, sha: t.String({ description: "The oid of a commit or its first digits, or a branch or tag" }) }),
          query: t.Object(commitDetails),
          responses: { ...ok(Commit, "The commit"), ...notFound, ...invalid },
        },
        async ({ actor, repository, params, query, signal }) => {
          if (!isRefName(`refs/${params.sha}`)) {
            throw new InvalidInput(`"${params.sha.slice(0, 100)}" is neither an oid nor the name of a branch or tag`, "sha");
          }
          const revision = await forge.revisions.get(repository.repository, params.sha);
          const args = { tips: [revision.commit], not: [], path: "", skip: 0, limit: 1, count: false, files: query.files ?? true, stats: query.stat ?? true };
          const [commit] = (await forge.commits.log(revision.view, args, signal)).commits;
          if (commit === undefined) {
            throw new NotFound("commit", params.sha);
          }
          const users = await findUsers(emailsOf([commit]));
          return presentCommit(placeOf(forge.addresses, repository), commit, users, actor, query.verification ?? true);
        },
      ),
    );
}
