import { t } from "elysia";
import { repositoryAccess, sameInEveryUnit } from "../../auth/unit-modes.ts";
import { accessModes } from "../../db/schema/owners.ts";
import { forkRepository } from "../../domain/forks/fork-repository.ts";
import { getRepositoryCounts } from "../../domain/repos/queries.ts";
import { InvalidInput } from "../../lib/errors.ts";
import type { Api } from "../common/api.ts";
import { json } from "../common/reply.ts";
import { accepted, conflict, ok } from "../common/responses.ts";
import { pagingQuery } from "../common/schema.ts";
import { presentOne } from "../repos/present-repositories.ts";
import { repositoryPage } from "../repos/repository-page.ts";
import { Repository } from "../repos/schema.ts";
import { CreateForkOption } from "./schema.ts";

/** The organization of the body, where the caller may create repositories. It is told apart from none at all by the handler. */
const into = {
  into: {
    may: { on: "organization", do: "create-repository" },
    named: { owner: "organization" },
    in: "body",
    absent: "null",
  },
} as const;

/** Forks of a repository, and what connects a fork with its parent. */
export function forkRoutes({ forge, group }: Api) {
  const { database } = forge;
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
        const fork = await forge.change(doer, (work) => forkRepository(work, parent, creation, body.name ?? ""));
        const counts = await getRepositoryCounts(database.db, fork.id);
        const mode = creation.ownsOwner ? accessModes.owner : accessModes.admin;
        const access = repositoryAccess(fork, creation.owner, counts, sameInEveryUnit(mode));
        return json(202, await presentOne(forge, access, { actor, credential }));
      },
    );
}
