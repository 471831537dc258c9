import { t } from "elysia";
import type { RepositoryAccess } from "../../auth/subject.ts";
import { repositoryAccess, sameInEveryUnit } from "../../auth/unit-modes.ts";
import type { Viewer } from "../../auth/viewer-of.ts";
import { accessModes } from "../../db/schema/owners.ts";
import type { UserDoer } from "../../domain/spine/doer.ts";
import { forkRepository } from "../../domain/repos/forks/fork-repository.ts";
import { findUpstream } from "../../domain/repos/forks/find-upstream.ts";
import { syncFork } from "../../domain/repos/forks/sync-fork.ts";
import { getRepositoryCounts } from "../../domain/repos/queries.ts";
import { InvalidInput } from "../../lib/errors.ts";
import type { Api } from "../common/api.ts";
import { empty, json } from "../common/reply.ts";
import { accepted, badRequest, conflict, done, ok } from "../common/responses.ts";
import { pagingQuery } from "../common/schema.ts";
import { presentOne } from "../repos/present-repositories.ts";
import { repositoryPage } from "../repos/repository-page.ts";
import { Repository } from "../repos/schema.ts";
import { CreateForkOption, MergeUpstreamRequest, MergeUpstreamResponse, SyncForkInfo } from "./schema.ts";

/** The organization of the body, where the caller may create repositories. It is told apart from none at all by the handler. */
const into = {
  into: {
    may: { on: "organization", do: "create-repository" },
    named: { owner: "organization" },
    in: "body",
    absent: "null",
  },
} as const;

const branch = t.String({ description: "Name of the branch; a slash in it as %2F or as it is" });
const failures = { ...badRequest, ...conflict };

/** Forks of a repository, and what connects a fork with its parent. */
export function forkRoutes({ forge, group }: Api) {
  const { database } = forge;
  async function describe(viewer: Viewer, fork: RepositoryAccess, name: string) {
    const { own, theirs, ahead, behind } = await findUpstream(forge, viewer, fork, name, false);
    return {
      allowed: fork.repository.archivedAt === null && behind > 0 && ahead === 0,
      fork_commit: own,
      base_commit: theirs ?? "",
      commits_behind: behind,
    };
  }

  async function sync(doer: UserDoer, fork: RepositoryAccess, name: string) {
    await syncFork(forge, doer, fork, { branch: name, diverged: "refuse", otherwise: "refuse" });
    return empty();
  }

  return group("/repos/:owner/:repo", {
    tag: "repository",
    scopes: ["repository"],
    may: { on: "repository", do: "read", unit: "any" },
  })
    .get(
      "/forks",
      {
        operationId: "listForks",
        summary: "List the forks of a repository",
        query: pagingQuery,
        responses: ok(t.Array(Repository), "The forks that the caller may see, oldest first"),
      },
      (asked) =>
        repositoryPage(forge, asked, { forkOf: asked.repository.repository.id }, { by: "id", descending: false }),
    )
    .post(
      "/forks",
      {
        operationId: "createFork",
        summary: "Fork a repository",
        description:
          "The fork is private where its parent is, or where it would be seen by more people than its parent. It has the parent's branches, tags and LFS objects at once; its issues, wiki, releases, projects and packages are switched off at first.",
        may: { on: "repository", do: "participate", unit: "code" },
        also: into,
        // Nothing of the parent changes.
        onArchived: "allowed",
        body: CreateForkOption,
        responses: { ...accepted(Repository, "The fork"), ...conflict },
      },
      async ({ doer, actor, credential, repository: parent, also, body }) => {
        if (body.organization && also.into === null) {
          throw new InvalidInput(`There is no organization "${body.organization.slice(0, 80)}"`, "organization");
        }
        const creation =
          also.into === null
            ? { owner: doer.actor, ownsOwner: true }
            : { owner: also.into.owner, ownsOwner: actor.isAdmin || also.into.membership === accessModes.owner };
        const fork = await forge.change(doer, (work) =>
          forkRepository(work, parent, creation, { name: body.name ?? "" }),
        );
        const counts = await getRepositoryCounts(database.db, fork.id);
        const mode = creation.ownsOwner ? accessModes.owner : accessModes.admin;
        const access = repositoryAccess(fork, creation.owner, counts, sameInEveryUnit(mode));
        return json(202, await presentOne(forge, access, { actor, credential }));
      },
    )
    .get(
      "/sync_fork",
      {
        operationId: "repoSyncForkDefaultInfo",
        summary: "Compare the default branch of a fork with the parent's branch of that name",
        may: { on: "repository", do: "read", unit: "code" },
        responses: { ...ok(SyncForkInfo, "What syncing would do"), ...badRequest },
      },
      ({ actor, credential, repository }) =>
        describe({ actor, credential }, repository, repository.repository.defaultBranch),
    )
    .post(
      "/sync_fork",
      {
        operationId: "repoSyncForkDefault",
        summary: "Move the default branch of a fork to where the parent's branch of that name is",
        description: "Nothing is merged: where the fork has commits of its own, it is refused (409).",
        may: { on: "repository", do: "write", unit: "code" },
        responses: { ...done, ...failures },
      },
      ({ doer, repository }) => sync(doer, repository, repository.repository.defaultBranch),
    )
    .get(
      "/sync_fork/:branch+",
      {
        operationId: "repoSyncForkBranchInfo",
        summary: "Compare a branch of a fork with the parent's branch of that name",
        may: { on: "repository", do: "read", unit: "code" },
        params: { branch },
        responses: { ...ok(SyncForkInfo, "What syncing would do"), ...badRequest },
      },
      ({ actor, credential, repository, params }) => describe({ actor, credential }, repository, params.branch),
    )
    .post(
      "/sync_fork/:branch+",
      {
        operationId: "repoSyncForkBranch",
        summary: "Move a branch of a fork to where the parent's branch of that name is",
        description: "Nothing is merged: where the fork has commits of its own, it is refused (409).",
        may: { on: "repository", do: "write", unit: "code" },
        params: { branch },
        responses: { ...done, ...failures },
      },
      ({ doer, repository, params }) => sync(doer, repository, params.branch),
    )
    .post(
      "/merge-upstream",
      {
        operationId: "repoMergeUpstream",
        summary: "Bring what is new in the parent into a branch of a fork",
        description:
          "The branch is moved where that is enough; where the fork has commits of its own, both are merged, or it is refused with ff_only (409). A branch that the parent does not have gets what is in the parent's default branch.",
        may: { on: "repository", do: "write", unit: "code" },
        body: MergeUpstreamRequest,
        responses: { ...ok(MergeUpstreamResponse, "What became of the branch"), ...failures },
      },
      async ({ doer, repository, body }) => ({
        merge_type: await syncFork(forge, doer, repository, {
          branch: body.branch || repository.repository.defaultBranch,
          diverged: body.ff_only === true ? "refuse" : "merge",
          otherwise: "default",
        }),
      }),
    );
}
