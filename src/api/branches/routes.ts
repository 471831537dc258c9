import { t } from "elysia";
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
import { conflict, done, made, ok } from "../common/responses.ts";
import { pagingQuery } from "../common/schema.ts";
import { prepareFindPeople, type People } from "../commits/people.ts";
import { placeOf, presentPayloadCommit } from "../commits/present.ts";
import { Branch, CreateBranchRepoOption, UpdateBranchRepoOption } from "./schema.ts";

const prefix = "refs/heads/";

export function branchRoutes({ forge, group }: Api) {
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

  return group("/repos/:owner/:repo", {
    tag: "repository",
    scopes: ["repository"],
    may: { on: "repository", do: "write", unit: "code" },
  })
    .get(
      "/branches",
      {
        operationId: "repoListBranches",
        summary: "List branches with their latest commits, by name",
        may: { on: "repository", do: "read", unit: "code" },
        query: pagingQuery,
        responses: ok(t.Array(Branch), "The branches"),
      },
      async ({ actor, credential, repository, query, request }) => {
        const page = readPage(query);
        const { rows, total, view } = await forge.git.revisions.page(repository.repository, prefix, page);
        const commits = await forge.git.commits.find(
          view,
          rows.map((ref) => ref.oid),
        );
        const found = await people.ofCommits(commits.values(), { actor, credential });
        const value = rows.map((ref) =>
          present(repository, ref.name.slice(prefix.length), commits.get(ref.oid), found),
        );
        return paged({ request, base: forge.addresses.base }, page, total, value);
      },
    )
    .post(
      "/branches",
      {
        operationId: "repoCreateBranch",
        summary: "Create a branch",
        body: CreateBranchRepoOption,
        responses: { ...made(Branch, "The branch"), ...conflict },
      },
      async ({ doer, repository, body }) => {
        const oid = await createBranch(forge, doer, repository, {
          name: body.new_branch_name,
          start: body.old_ref_name || body.old_branch_name,
        });
        const commit = await forge.git.commits.get(await forge.git.views.current(repository.repository), oid);
        return created(present(repository, body.new_branch_name, commit, await people.ofCommits([commit], doer)));
      },
    )
    .get(
      "/branches/:branch+",
      {
        operationId: "repoGetBranch",
        summary: "Get a branch with its latest commit",
        may: { on: "repository", do: "read", unit: "code" },
        params: { branch: t.String({ description: "Name of the branch; a slash in it as %2F or as it is" }) },
        responses: ok(Branch, "The branch"),
      },
      async ({ actor, credential, repository, params }) => {
        const name = params.branch;
        const found = await forge.git.revisions.find(repository.repository, name);
        if (found === null || found.kind !== "branch" || found.name !== name) {
          throw new NotFound("branch", name);
        }
        const commit = await forge.git.commits.get(found.view, found.commit);
        return present(repository, name, commit, await people.ofCommits([commit], { actor, credential }));
      },
    )
    .delete(
      "/branches/:branch+",
      {
        operationId: "repoDeleteBranch",
        summary: "Delete a branch; not the default one",
        params: { branch: t.String({ description: "Name of the branch; a slash in it as %2F or as it is" }) },
        responses: { ...done, ...conflict },
      },
      async ({ doer, repository, params }) => {
        await deleteBranch(forge, doer, repository, params.branch);
        return empty();
      },
    )
    .patch(
      "/branches/:branch+",
      {
        operationId: "repoUpdateBranch",
        summary: "Rename a branch",
        params: { branch: t.String({ description: "Name of the branch; a slash in it as %2F or as it is" }) },
        body: UpdateBranchRepoOption,
        responses: { ...done, ...conflict },
      },
      async ({ doer, repository, params, body }) => {
        await renameBranch(forge, doer, repository, params.branch, body.name);
        return empty();
      },
    );
}
