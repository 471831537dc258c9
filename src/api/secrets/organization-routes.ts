import { t } from "elysia";
import type { OwnerAccess } from "../../auth/subject.ts";
import { namedOwner } from "../../domain/events/names.ts";
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

const holderOf = ({ owner }: OwnerAccess): Holder => ({ owner: namedOwner(owner), repository: null });

/** Secrets and variables of an organization. */
export function organizationSecretRoutes({ forge, group }: Api) {
  const handlers = secretHandlers(forge);
  const params = { variablename: variableName };
  return group("/orgs/:org/actions", {
    tag: "organization",
    scopes: ["organization"],
    may: { on: "organization", do: "manage" },
  })
    .get(
      "/secrets",
      {
        operationId: "orgListActionsSecrets",
        summary: "List the secrets of an organization",
        description: "Nobody is told their values.",
        query: pagingQuery,
        responses: ok(t.Array(Secret), "The secrets, by name"),
      },
      ({ request, query, owner }) => handlers.listSecrets({ request, query }, holderOf(owner)),
    )
    .put(
      "/secrets/:secretname",
      {
        operationId: "updateOrgSecret",
        summary: "Set a secret of an organization",
        params: { secretname: secretName },
        body: CreateOrUpdateSecretOption,
        responses: {
          201: { description: "There was none of this name" },
          204: { description: "It has another value" },
          ...badRequest,
        },
      },
      ({ doer, owner, params: { secretname }, body }) => handlers.setSecret(doer, holderOf(owner), secretname, body),
    )
    .delete(
      "/secrets/:secretname",
      {
        operationId: "deleteOrgSecret",
        summary: "Delete a secret of an organization",
        params: { secretname: secretName },
        responses: { ...done, ...badRequest },
      },
      ({ doer, owner, params: { secretname } }) => handlers.deleteSecret(doer, holderOf(owner), secretname),
    )
    .get(
      "/variables",
      {
        operationId: "getOrgVariablesList",
        summary: "List the variables of an organization",
        query: pagingQuery,
        responses: ok(t.Array(ActionVariable), "The variables, by name"),
      },
      ({ request, query, owner }) => handlers.listVariables({ request, query }, holderOf(owner)),
    )
    .get(
      "/variables/:variablename",
      {
        operationId: "getOrgVariable",
        summary: "Get a variable of an organization",
        params,
        responses: { ...ok(ActionVariable, "The variable"), ...badRequest },
      },
      ({ owner, params: { variablename } }) => handlers.getVariable(holderOf(owner), variablename),
    )
    .post(
      "/variables/:variablename",
      {
        operationId: "createOrgVariable",
        summary: "Make a variable of an organization",
        params,
        body: CreateVariableOption,
        responses: { ...done, ...badRequest, ...conflict },
      },
      ({ doer, owner, params: { variablename }, body }) =>
        handlers.createVariable(doer, holderOf(owner), variablename, body),
    )
    .put(
      "/variables/:variablename",
      {
        operationId: "updateOrgVariable",
        summary: "Change a variable of an organization, or its name",
        params,
        body: UpdateVariableOption,
        responses: { ...done, ...badRequest, ...conflict },
      },
      ({ doer, owner, params: { variablename }, body }) =>
        handlers.editVariable(doer, holderOf(owner), variablename, body),
    )
    .delete(
      "/variables/:variablename",
      {
        operationId: "deleteOrgVariable",
        summary: "Delete a variable of an organization",
        params,
        responses: { ...done, ...badRequest },
      },
      ({ doer, owner, params: { variablename } }) => handlers.deleteVariable(doer, holderOf(owner), variablename),
    );
}
