import { t } from "elysia";
import { NotFound } from "../../domain/spine/errors.ts";
import { listCommits } from "../../domain/git/commits/list-commits.ts";
import { isRefName } from "../../git/refs/ref-name.ts";
import { InvalidInput } from "../../lib/errors.ts";
import { agent } from "../../lib/version.ts";
import type { RepositoryAccess } from "../../auth/subject.ts";
import type { Api } from "../common/api.ts";
import { paged, readPage } from "../common/paging.ts";
import { stream } from "../common/reply.ts";
import { conflict, invalid, ok } from "../common/responses.ts";
import { oneOf, pagingQuery } from "../common/schema.ts";
import { prepareFindPeople } from "./people.ts";
import { placeOf, presentCommit } from "./present.ts";
import { Commit, commitDetails } from "./schema.ts";

const sha = t.String({ description: "The oid of a commit or its first digits, or a branch or tag" });

export function commitRoutes({ forge, group }: Api) {
  const people = prepareFindPeople(forge);

  async function find(access: RepositoryAccess, name: string) {
    if (!isRefName(`refs/${name}`)) {
      throw new InvalidInput(`"${name.slice(0, 100)}" is neither an oid nor the name of a branch or tag`, "sha");
    }
    return forge.git.revisions.get(access.repository, name);
  }

  return group("/repos/:owner/:repo", {
    tag: "repository",
    scopes: ["repository"],
    may: { on: "repository", do: "read", unit: "code" },
  })
    .get(
      "/commits",
      {
        operationId: "repoGetAllCommits",
        summary: "List commits, latest first",
        query: {
          sha: t.Optional(
            t.String({ description: "A branch, tag or commit to start from; the default branch otherwise" }),
          ),
          path: t.Optional(t.String({ description: "Only commits that change this file or directory" })),
          ...commitDetails,
          ...pagingQuery,
          not: t.Optional(
            t.String({
              description:
                "A branch, tag or commit that is left out with all that it reaches; several are divided by commas",
            }),
          ),
        },
        responses: { ...ok(t.Array(Commit), "The commits"), ...conflict },
      },
      async ({ actor, credential, repository, query, request, signal }) => {
        const page = readPage(query);
        const { commits, total } = await listCommits(
          forge,
          repository.repository,
          {
            revision: query.sha,
            path: query.path,
            not: query.not,
            skip: page.offset,
            limit: page.size,
            stats: query.stat ?? true,
            files: query.files ?? true,
          },
          signal,
        );
        const found = await people.ofCommits(commits, { actor, credential }, query.verification);
        const place = placeOf(forge.addresses, repository);
        const value = commits.map((commit) => presentCommit(place, commit, found, actor, query.verification ?? true));
        return paged({ request, base: forge.addresses.base }, page, total, value);
      },
    )
    .get(
      "/git/commits/:sha",
      {
        operationId: "repoGetSingleCommit",
        summary: "Get one commit",
        params: { sha },
        query: commitDetails,
        responses: { ...ok(Commit, "The commit"), ...invalid },
      },
      async ({ actor, credential, repository, params, query, signal }) => {
        const revision = await find(repository, params.sha);
        const args = {
          tips: [revision.commit],
          not: [],
          paths: [],
          skip: 0,
          limit: 1,
          count: false,
          files: query.files ?? true,
          stats: query.stat ?? true,
        };
        const [commit] = (await forge.git.commits.log(revision.view, args, signal)).commits;
        if (commit === undefined) {
          throw new NotFound("commit", params.sha);
        }
        return presentCommit(
          placeOf(forge.addresses, repository),
          commit,
          await people.ofCommits([commit], { actor, credential }, query.verification),
          actor,
          query.verification ?? true,
        );
      },
    )
    .get(
      "/git/commits/:sha.:diffType",
      {
        operationId: "repoDownloadCommitDiffOrPatch",
        summary: "Get what a commit changed, as a diff or as a mail",
        params: {
          sha,
          diffType: oneOf(["diff", "patch"], "diff: what git diff prints; patch: a mail that git am takes"),
        },
        responses: {
          200: {
            description: "The text, which is cut after a whole file when it is too large",
            contentType: "text/plain",
          },
        },
      },
      async ({ repository, params, signal }) => {
        const { diffType } = params;
        const { view, commit } = await find(repository, params.sha);
        const mail = diffType === "patch" ? { signature: agent } : null;
        const open = () => forge.git.engine.stream(view, "patch", { before: "parent", after: commit, mail }, signal);
        return stream(open, "text/plain;charset=utf-8", `${commit}.${diffType}`, {
          "x-content-type-options": "nosniff",
        });
      },
    );
}
