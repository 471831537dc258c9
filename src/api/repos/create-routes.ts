import { t, type Static } from "elysia";
import type { OwnerAccess } from "../../auth/subject.ts";
import { repositoryAccess, sameInEveryUnit } from "../../auth/unit-modes.ts";
import { accessModes } from "../../db/schema/owners.ts";
import type { UserDoer } from "../../domain/spine/doer.ts";
import { createRepository, type Creation, type NewRepository } from "../../domain/repos/create-repository.ts";
import { getRepositoryCounts } from "../../domain/repos/queries.ts";
import type { Api } from "../common/api.ts";
import { created } from "../common/reply.ts";
import { conflict, made, notFound } from "../common/responses.ts";
import { CreateRepoOption } from "./options.ts";
import { presentRepository } from "./present.ts";
import { Repository } from "./schema.ts";

type Body = Static<typeof CreateRepoOption>;

function readOptions(body: Body): NewRepository {
  return {
    name: body.name,
    description: body.description ?? "",
    private: body.private ?? false,
    template: body.template ?? false,
    defaultBranch: body.default_branch ?? "",
    objectFormat: body.object_format_name ?? "sha1",
    trustModel: body.trust_model ?? "default",
    issueLabels: body.issue_labels ?? "",
    autoInit: body.auto_init ?? false,
    first: { readme: body.readme ?? "", gitignores: body.gitignores ?? "", license: body.license ?? "" },
  };
}

/** Repositories are created by users for themselves, for organizations, and by site administrators for others. */
export function createRepositoryRoutes({ forge, group }: Api) {
  async function create(doer: UserDoer, creation: Creation, body: Body) {
    const repository = await createRepository(forge, doer, creation, readOptions(body));
    const mode = creation.ownsOwner ? accessModes.owner : accessModes.admin;
    const counts = await getRepositoryCounts(forge.database.db, repository.id);
    const access = repositoryAccess(repository, creation.owner, counts, sameInEveryUnit(mode));
    return created(presentRepository(forge.addresses, { ...access, parent: null }, doer.actor));
  }

  function createForOrganization({ doer, owner: access, body }: { doer: UserDoer; owner: OwnerAccess; body: Body }) {
    const ownsOwner = doer.actor.isAdmin || access.membership === accessModes.owner;
    return create(doer, { owner: access.owner, ownsOwner }, body);
  }

  return group("", {
    tag: "organization",
    scopes: ["organization", "repository"],
    may: { on: "organization", do: "create-repository" },
  })
    .post(
      "/user/repos",
      {
        operationId: "createCurrentUserRepo",
        summary: "Create a repository of one's own",
        tag: "repository",
        scopes: ["user", "repository"],
        may: { on: "account", do: "act-as-self" },
        body: CreateRepoOption,
        responses: { ...made(Repository, "The repository"), ...conflict },
      },
      ({ doer, body }) => create(doer, { owner: doer.actor, ownsOwner: true }, body),
    )
    .post(
      "/orgs/:org/repos",
      {
        operationId: "createOrgRepo",
        summary: "Create a repository in an organization",
        body: CreateRepoOption,
        responses: { ...made(Repository, "The repository"), ...conflict },
      },
      createForOrganization,
    )
    .post(
      "/org/:org/repos",
      {
        operationId: "createOrgRepoDeprecated",
        summary: "Create a repository in an organization",
        deprecated: true,
        body: CreateRepoOption,
        responses: { ...made(Repository, "The repository"), ...conflict },
      },
      createForOrganization,
    )
    .post(
      "/admin/users/:username/repos",
      {
        operationId: "adminCreateRepo",
        summary: "Create a repository for a user",
        tag: "admin",
        scopes: ["admin"],
        may: { on: "instance", do: "administer" },
        params: { username: t.String({ description: "Name of the user or organization that will own it" }) },
        also: { into: { may: { on: "owner", do: "see" }, named: { owner: "username" } } },
        body: CreateRepoOption,
        responses: { ...made(Repository, "The repository"), ...notFound, ...conflict },
      },
      ({ doer, also, body }) => create(doer, { owner: also.into.owner, ownsOwner: true }, body),
    );
}
