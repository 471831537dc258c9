import { Elysia, t, type Static } from "elysia";
import type { Actor, Credential, OwnerAccess, OwnerRow } from "../../auth/subject.ts";
import { repositoryAccess, sameInEveryUnit } from "../../auth/unit-modes.ts";
import { accessModes } from "../../db/schema/owners.ts";
import { NotFound } from "../../domain/errors.ts";
import { createRepository, type NewRepository } from "../../domain/repos/create-repository.ts";
import { findOwner } from "../../domain/repos/queries.ts";
import type { Api } from "../common/api.ts";
import { created } from "../common/reply.ts";
import { badRequest, conflict, forbidden, invalid, made, notFound, signInNeeded } from "../common/responses.ts";
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
export function createRepositoryRoutes({ forge, endpoint }: Api) {
  async function create(creation: { actor: Actor; credential: Credential; owner: OwnerRow; ownsOwner: boolean }, body: Body) {
    const repository = await createRepository(forge, creation, readOptions(body));
    const mode = creation.ownsOwner ? accessModes.owner : accessModes.admin;
    return created(presentRepository(forge.addresses, repositoryAccess(repository, creation.owner, sameInEveryUnit(mode)), creation.actor));
  }

  function createForOrganization({ actor, credential, owner: access, body }: { actor: Actor; credential: Credential; owner: OwnerAccess; body: Body }) {
    const { owner, membership } = access;
    return create({ actor, credential, owner, ownsOwner: actor.isAdmin || membership === accessModes.owner }, body);
  }

  const forOrganization = {
    tag: "organization",
    scopes: ["organization", "repository"],
    may: { on: "organization", do: "create-repository" },
    signedIn: true,
    params: t.Object({ org: t.String({ description: "Name of the organization" }) }),
    body: CreateRepoOption,
    responses: { ...made(Repository, "The repository"), ...badRequest, ...signInNeeded, ...forbidden, ...notFound, ...conflict, ...invalid },
  } as const;

  return new Elysia()
    .post(
      "/user/repos",
      ...endpoint(
        {
          operationId: "createCurrentUserRepo",
          tag: "repository",
          summary: "Create a repository of one's own",
          scopes: ["user", "repository"],
          may: { on: "account", do: "act-as-self" },
          signedIn: true,
          body: CreateRepoOption,
          responses: { ...made(Repository, "The repository"), ...badRequest, ...signInNeeded, ...forbidden, ...conflict, ...invalid },
        },
        ({ actor, credential, body }) => create({ actor, credential, owner: actor, ownsOwner: true }, body),
      ),
    )
    .post("/orgs/:org/repos", ...endpoint({ ...forOrganization, operationId: "createOrgRepo", summary: "Create a repository in an organization" }, createForOrganization))
    .post(
      "/org/:org/repos",
      ...endpoint({ ...forOrganization, operationId: "createOrgRepoDeprecated", summary: "Create a repository in an organization", deprecated: true }, createForOrganization),
    )
    .post(
      "/admin/users/:username/repos",
      ...endpoint(
        {
          operationId: "adminCreateRepo",
          tag: "admin",
          summary: "Create a repository for a user",
          scopes: ["admin"],
          may: { on: "instance", do: "administer" },
          signedIn: true,
          params: t.Object({ username: t.String({ description: "Name of the user or organization that will own it" }) }),
          body: CreateRepoOption,
          responses: { ...made(Repository, "The repository"), ...badRequest, ...signInNeeded, ...forbidden, ...notFound, ...conflict, ...invalid },
        },
        async ({ actor, credential, params, body }) => {
          const owner = await findOwner(forge.database.db, params.username);
          if (owner === null) {
            throw new NotFound("user", params.username);
          }
          return create({ actor, credential, owner, ownsOwner: true }, body);
        },
      ),
    );
}
