import { Elysia, t } from "elysia";
import type { RepositoryAccess } from "../../auth/subject.ts";
import { accessModes } from "../../db/schema/owners.ts";
import { createBranch } from "../../domain/branches/create-branch.ts";
import { deleteBranch } from "../../domain/branches/delete-branch.ts";
import { renameBranch } from "../../domain/branches/rename-branch.ts";
import { NotFound } from "../../domain/errors.ts";
import type { CommitRecord } from "../../git/log/commit-record.ts";
import type { Api } from "../common/api.ts";
import { paged, readPage } from "../common/paging.ts";
import { created, empty } from "../common/reply.ts";
import { archived, conflict, done, forbidden, invalid, made, notFound, ok } from "../common/responses.ts";
import { readSpreadName, spreadName, undocumented } from "../common/rest-of-path.ts";
import { pagingQuery, repositoryParams } from "../common/schema.ts";
import { prepareFindPeople, type People } from "../commits/people.ts";
import { placeOf, presentPayloadCommit } from "../commits/present.ts";
import { Branch, CreateBranchRepoOption, UpdateBranchRepoOption } from "./schema.ts";

const prefix = "refs/heads/";
const branchParams = t.Object({ ...repositoryParams, ...spreadName("branch", "Name of the branch; a slash in it as %2F or as it is") });

export function branchRoutes({ forge, endpoint }: Api) {
  const people = prepareFindPeople(forge);

  function present(access: RepositoryAccess, name: string, commit: CommitRecord | undefined, found: People) {
    const canWrite = access.units.code >= accessModes.write && access.repository.archivedAt === null;
    return {
      name,
      commit: commit === undefined ? null : presentPayloadCommit(placeOf(forge.addresses, access), commit, found),
      protected: false,
      required_approvals: 0,
      enable_status_check: false,
      status_check_contexts: [],
      user_can_push: canWrite,
      user_can_merge: canWrite,
      effective_branch_protection_name: "",
    };
  }

  const get = endpoint(
    {
      operationId: "repoGetBranch",
      tag: "repository",
      summary: "Get a branch with its latest commit",
      scopes: ["repository"],
      may: { on: "repository", do: "read", unit: "code" },
      params: branchParams,
      responses: { ...ok(Branch, "The branch"), ...notFound },
    },
    async ({ actor, repository, params }) => {
      const name = readSpreadName(params, "branch");
      const found = await forge.revisions.find(repository.repository, name);
      if (found === null || found.kind !== "branch" || found.name !== name) {
        throw new NotFound("branch", name);
      }
      const commit = await forge.commits.get(found.view, found.commit);
      return present(repository, name, commit, await people.ofCommits([commit], actor));
    },
  );

  const remove = endpoint(
    {
      operationId: "repoDeleteBranch",
      tag: "repository",
      summary: "Delete a branch; not the default one",
      scopes: ["repository"],
      may: { on: "repository", do: "write", unit: "code" },
      signedIn: true,
      changes: true,
      params: branchParams,
      responses: { ...done, ...forbidden, ...notFound, ...conflict, ...archived },
    },
    async ({ actor, repository, params }) => {
      await deleteBranch(forge, repository.repository, actor, readSpreadName(params, "branch"));
      return empty();
    },
  );

  const rename = endpoint(
    {
      operationId: "repoUpdateBranch",
      tag: "repository",
      summary: "Rename a branch",
      scopes: ["repository"],
      may: { on: "repository", do: "write", unit: "code" },
      signedIn: true,
      changes: true,
      params: branchParams,
      body: UpdateBranchRepoOption,
      responses: { ...done, ...forbidden, ...notFound, ...conflict, ...invalid, ...archived },
    },
    async ({ actor, repository, params, body }) => {
      await renameBranch(forge, repository.repository, actor, readSpreadName(params, "branch"), body.name);
      return empty();
    },
  );

  return new Elysia({ prefix: "/repos/:owner/:repo" })
    .get(
      "/branches",
      ...endpoint(
        {
          operationId: "repoListBranches",
          tag: "repository",
          summary: "List branches with their latest commits, by name",
          scopes: ["repository"],
          may: { on: "repository", do: "read", unit: "code" },
          params: t.Object(repositoryParams),
          query: t.Object(pagingQuery),
          responses: { ...ok(t.Array(Branch), "The branches"), ...notFound },
        },
        async ({ actor, repository, query, request }) => {
          const page = readPage(query);
          const { rows, total, view } = await forge.revisions.page(repository.repository, prefix, page);
          const commits = await forge.commits.find(view, rows.map((ref) => ref.oid));
          const found = await people.ofCommits(commits.values(), actor);
          const value = rows.map((ref) => present(repository, ref.name.slice(prefix.length), commits.get(ref.oid), found));
          return paged({ request, base: forge.addresses.base }, page, total, value);
        },
      ),
    )
    .post(
      "/branches",
      ...endpoint(
        {
          operationId: "repoCreateBranch",
          tag: "repository",
          summary: "Create a branch",
          scopes: ["repository"],
          may: { on: "repository", do: "write", unit: "code" },
          signedIn: true,
          changes: true,
          params: t.Object(repositoryParams),
          body: CreateBranchRepoOption,
          responses: { ...made(Branch, "The branch"), ...forbidden, ...notFound, ...conflict, ...invalid, ...archived },
        },
        async ({ actor, repository, body }) => {
          const oid = await createBranch(forge, repository.repository, actor, { name: body.new_branch_name, start: body.old_ref_name || body.old_branch_name });
          const commit = await forge.commits.get(await forge.views.current(repository.repository), oid);
          return created(present(repository, body.new_branch_name, commit, await people.ofCommits([commit], actor)));
        },
      ),
    )
    .get("/branches/:branch", ...get)
    .get("/branches/*", undocumented(get[0]), get[1])
    .delete("/branches/:branch", ...remove)
    .delete("/branches/*", undocumented(remove[0]), remove[1])
    .patch("/branches/:branch", ...rename)
    .patch("/branches/*", undocumented(rename[0]), rename[1]);
}
