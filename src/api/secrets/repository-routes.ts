import { t } from "elysia";
import type { RepositoryAccess } from "../../auth/subject.ts";
import { namedOwner, namedRepository } from "../../domain/events/names.ts";
import type { Holder } from "../../domain/secrets/holder.ts";
import type { Api } from "../common/api.ts";
import { badRequest, conflict, done, ok } from "../common/responses.ts";
import { pagingQuery } from "../common/schema.ts";
import { secretHandlers } from "./handlers.ts";
import {
  ActionVariable,
  CreateOrUpdateSecretOption,
  CreateVariableOption,
  Secret,
  secretName,
  UpdateVariableOption,
  variableName,
} from "./schema.ts";

const holderOf = (access: RepositoryAccess): Holder => ({
  owner: namedOwner(access.owner),
  repository: namedRepository(access),
});

/** Secrets and variables of a repository. */
export function repositorySecretRoutes({ forge, group }: Api) {
  const handlers = secretHandlers(forge);
  const params = { variablename: variableName };
  return group("/repos/:owner/:repo/actions", {
    tag: "repository",
    scopes: ["repository"],
    may: { on: "repository", do: "owner", unit: "any" },
  })
    .get(
      "/secrets",
      {
        operationId: "repoListActionsSecrets",
        summary: "List the secrets of a repository",
        description: "Nobody is told their values.",
        query: pagingQuery,
        responses: ok(t.Array(Secret), "The secrets, by name"),
      },
      ({ request, query, repository }) => handlers.listSecrets({ request, query }, holderOf(repository)),
    )
    .put(
      "/secrets/:secretname",
      {
        operationId: "updateRepoSecret",
        summary: "Set a secret of a repository",
        params: { secretname: secretName },
        body: CreateOrUpdateSecretOption,
        responses: {
          201: { description: "There was none of this name" },
          204: { description: "It has another value" },
          ...badRequest,
        },
      },
      ({ doer, repository, params: { secretname }, body }) =>
        handlers.setSecret(doer, holderOf(repository), secretname, body),
    )
    .delete(
      "/secrets/:secretname",
      {
        operationId: "deleteRepoSecret",
        summary: "Delete a secret of a repository",
        params: { secretname: secretName },
        responses: { ...done, ...badRequest },
      },
      ({ doer, repository, params: { secretname } }) => handlers.deleteSecret(doer, holderOf(repository), secretname),
    )
    .get(
      "/variables",
      {
        operationId: "getRepoVariablesList",
        summary: "List the variables of a repository",
        query: pagingQuery,
        responses: ok(t.Array(ActionVariable), "The variables, by name"),
      },
      ({ request, query, repository }) => handlers.listVariables({ request, query }, holderOf(repository)),
    )
    .get(
      "/variables/:variablename",
      {
        operationId: "getRepoVariable",
        summary: "Get a variable of a repository",
        params,
        responses: { ...ok(ActionVariable, "The variable"), ...badRequest },
      },
      ({ repository, params: { variablename } }) => handlers.getVariable(holderOf(repository), variablename),
    )
    .post(
      "/variables/:variablename",
      {
        operationId: "createRepoVariable",
        summary: "Make a variable of a repository",
        params,
        body: CreateVariableOption,
        responses: { ...done, ...badRequest, ...conflict },
      },
      ({ doer, repository, params: { variablename }, body }) =>
        handlers.createVariable(doer, holderOf(repository), variablename, body),
    )
    .put(
      "/variables/:variablename",
      {
        operationId: "updateRepoVariable",
        summary: "Change a variable of a repository, or its name",
        params,
        body: UpdateVariableOption,
        responses: { ...done, ...badRequest, ...conflict },
      },
      ({ doer, repository, params: { variablename }, body }) =>
        handlers.editVariable(doer, holderOf(repository), variablename, body),
    )
    .delete(
      "/variables/:variablename",
      {
        operationId: "deleteRepoVariable",
        summary: "Delete a variable of a repository",
        params,
        responses: { ...done, ...badRequest },
      },
      ({ doer, repository, params: { variablename } }) =>
        handlers.deleteVariable(doer, holderOf(repository), variablename),
    );
}
