import { t } from "elysia";
import type { Actor, RepositoryAccess } from "../../auth/subject.ts";
import { accessModes } from "../../db/schema/owners.ts";
import { createBranch } from "../../domain/git/branches/create-branch.ts";
import { deleteBranch } from "../../domain/git/branches/delete-branch.ts";
import { moveBranch } from "../../domain/git/branches/move-branch.ts";
import { renameBranch } from "../../domain/git/branches/rename-branch.ts";
import { NotFound } from "../../domain/spine/errors.ts";
import type { BranchRules } from "../../domain/git/protections/branch-rules.ts";
import { mayMerge, mayPush } from "../../domain/git/protections/decide-change.ts";
import { loadRules } from "../../domain/git/protections/rule-queries.ts";
import type { CommitRecord } from "../../git/log/commit-record.ts";
import type { Api } from "../common/api.ts";
import { paged, readPage } from "../common/paging.ts";
import { created, empty } from "../common/reply.ts";
import { conflict, done, made, ok } from "../common/responses.ts";
import { pagingQuery } from "../common/schema.ts";
import { prepareFindPeople, type People } from "../commits/people.ts";
import { placeOf, presentPayloadCommit } from "../commits/present.ts";
import { Branch, CreateBranchRepoOption, UpdateBranchRefOption, UpdateBranchRepoOption } from "./schema.ts";

const prefix = "refs/heads/";

export function branchRoutes({ forge, group }: Api) {
  const people = prepareFindPeople(forge);

  /** Loads the rules for branches as they apply to the caller. */
  async function rulesFor(access: RepositoryAccess, actor: Actor | null): Promise<BranchRules> {
    return (await loadRules(forge.database.db, access.repository.id, actor?.id ?? null)).branches;
  }

  function present(
    access: RepositoryAccess,
    rules: BranchRules,
    name: string,
    commit: CommitRecord | undefined,
    found: People,
  ) {
    const canWrite = access.units.code >= accessModes.write && access.repository.archivedAt === null;
    const rule = rules.find(name);
    return {
      name,
      commit: commit === undefined ? null : presentPayloadCommit(placeOf(forge.addresses, access), commit, found),
      protected: rule !== null,
      required_approvals: rule?.requiredApprovals ?? 0,
      enable_status_check: rule?.enableStatusCheck ?? false,
      status_check_contexts: rule?.statusCheckContexts ?? [],
      user_can_push: canWrite && (rule === null || mayPush(rule, "user")),
      user_can_merge: canWrite && (rule === null || mayMerge(rule, "user")),
      // Only users who may change the rules see them.
      effective_branch_protection_name: access.mode >= accessModes.admin ? (rule?.ruleName ?? "") : "",
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
        const rules = await rulesFor(repository, actor);
        const value = rows.map((ref) =>
          present(repository, rules, ref.name.slice(prefix.length), commits.get(ref.oid), found),
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
      async ({ doer, actor, repository, body }) => {
        const oid = await createBranch(forge, doer, repository, {
          name: body.new_branch_name,
          start: body.old_ref_name || body.old_branch_name,
        });
        const commit = await forge.git.commits.get(await forge.git.views.current(repository.repository), oid);
        const rules = await rulesFor(repository, actor);
        return created(
          present(repository, rules, body.new_branch_name, commit, await people.ofCommits([commit], doer)),
        );
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
        const found = await forge.git.revisions.find(repository.repository, prefix + name);
        if (found === null) {
          throw new NotFound("branch", name);
        }
        const commit = await forge.git.commits.get(found.view, found.commit);
        const rules = await rulesFor(repository, actor);
        return present(repository, rules, name, commit, await people.ofCommits([commit], { actor, credential }));
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
    .put(
      "/branches/:branch+",
      {
        operationId: "repoUpdateBranchRef",
        summary: "Move a branch to another commit of the repository",
        params: { branch: t.String({ description: "Name of the branch; a slash in it as %2F or as it is" }) },
        body: UpdateBranchRefOption,
        responses: { ...done, ...conflict },
      },
      async ({ doer, repository, params, body }) => {
        await moveBranch(forge, doer, repository, params.branch, {
          to: body.new_commit_id,
          from: body.old_commit_id || undefined,
          force: body.force ?? false,
        });
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
