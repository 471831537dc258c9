import { Elysia, t } from "elysia";
import { NotFound } from "../../domain/errors.ts";
import { listCommits } from "../../domain/commits/list-commits.ts";
import { isRefName } from "../../git/refs/ref-name.ts";
import { InvalidInput } from "../../lib/errors.ts";
import { agent } from "../../lib/version.ts";
import type { RepositoryAccess } from "../../auth/subject.ts";
import type { Api } from "../common/api.ts";
import { bySuffix } from "../common/by-suffix.ts";
import { paged, readPage } from "../common/paging.ts";
import { stream } from "../common/reply.ts";
import { conflict, invalid, notFound, ok } from "../common/responses.ts";
import { oneOf, pagingQuery, repositoryParams } from "../common/schema.ts";
import { prepareFindPeople } from "./people.ts";
import { placeOf, presentCommit } from "./present.ts";
import { Commit, commitDetails } from "./schema.ts";

const shaParam = t.String({ description: "The oid of a commit or its first digits, or a branch or tag" });

export function commitRoutes({ forge, endpoint }: Api) {
  const people = prepareFindPeople(forge);

  async function find(access: RepositoryAccess, sha: string) {
    if (!isRefName(`refs/${sha}`)) {
      throw new InvalidInput(`"${sha.slice(0, 100)}" is neither an oid nor the name of a branch or tag`, "sha");
    }
    return forge.revisions.get(access.repository, sha);
  }

  const [getOne, options] = endpoint(
    {
      operationId: "repoGetSingleCommit",
      tag: "repository",
      summary: "Get one commit",
      scopes: ["repository"],
      may: { on: "repository", do: "read", unit: "code" },
      params: t.Object({ ...repositoryParams, sha: shaParam }),
      query: t.Object(commitDetails),
      responses: { ...ok(Commit, "The commit"), ...notFound, ...invalid },
    },
    async ({ actor, repository, params, query, signal }) => {
      const revision = await find(repository, params.sha);
      const args = { tips: [revision.commit], not: [], paths: [], skip: 0, limit: 1, count: false, files: query.files ?? true, stats: query.stat ?? true };
      const [commit] = (await forge.commits.log(revision.view, args, signal)).commits;
      if (commit === undefined) {
        throw new NotFound("commit", params.sha);
      }
      return presentCommit(placeOf(forge.addresses, repository), commit, await people.ofCommits([commit], actor, query.verification), actor, query.verification ?? true);
    },
  );
  const [download] = endpoint(
    {
      operationId: "repoDownloadCommitDiffOrPatch",
      tag: "repository",
      summary: "Get what a commit changed, as a diff or as a mail",
      scopes: ["repository"],
      may: { on: "repository", do: "read", unit: "code" },
      params: t.Object({ ...repositoryParams, sha: shaParam, diffType: oneOf(["diff", "patch"], "diff: what git diff prints; patch: a mail that git am takes") }),
      responses: { 200: { description: "The text, which is cut after a whole file when it is too large", contentType: "text/plain" }, ...notFound, ...invalid },
    },
    async ({ repository, params, signal }) => {
      const { sha, diffType } = params;
      const { view, commit } = await find(repository, sha);
      const mail = diffType === "patch" ? { signature: agent } : null;
      const open = () => forge.git.stream(view, "patch", { before: "parent", after: commit, mail }, signal);
      return stream(open, "text/plain;charset=utf-8", `${commit}.${diffType}`, { "x-content-type-options": "nosniff" });
    },
  );
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
          const found = await people.ofCommits(commits, actor, query.verification);
          const place = placeOf(forge.addresses, repository);
          const value = commits.map((commit) => presentCommit(place, commit, found, actor, query.verification ?? true));
          return paged({ request, base: forge.addresses.base }, page, total, value);
        },
      ),
    )
    .get("/git/commits/:sha", bySuffix({ parameter: "sha", suffix: "diffType", values: ["diff", "patch"] }, getOne, download), options);
}
