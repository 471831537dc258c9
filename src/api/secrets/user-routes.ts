import { t } from "elysia";
import type { Actor } from "../../auth/subject.ts";
import { namedOwner } from "../../domain/events/names.ts";
import type { Holder } from "../../domain/secrets/holder.ts";
import type { Api } from "../common/api.ts";
import { badRequest, conflict, done, notFound, ok } from "../common/responses.ts";
import { pagingQuery } from "../common/schema.ts";
import { secretHandlers } from "./handlers.ts";
import {
  ActionVariable,
  CreateOrUpdateSecretOption,
  CreateVariableOption,
  secretName,
  UpdateVariableOption,
  variableName,
} from "./schema.ts";

const holderOf = (actor: Actor): Holder => ({ owner: namedOwner(actor), repository: null });

/** Secrets and variables of the own account. */
export function userSecretRoutes({ forge, group }: Api) {
  const handlers = secretHandlers(forge);
  const params = { variablename: variableName };
  return group("/user/actions", {
    tag: "user",
    scopes: ["user"],
    may: { on: "account", do: "act-as-self" },
  })
    .put(
      "/secrets/:secretname",
      {
        operationId: "updateUserSecret",
        summary: "Set a secret of the own account",
        params: { secretname: secretName },
        body: CreateOrUpdateSecretOption,
        responses: {
          201: { description: "There was none of this name" },
          204: { description: "It has another value" },
          ...badRequest,
        },
      },
      ({ doer, actor, params: { secretname }, body }) => handlers.setSecret(doer, holderOf(actor), secretname, body),
    )
    .delete(
      "/secrets/:secretname",
      {
        operationId: "deleteUserSecret",
        summary: "Delete a secret of the own account",
        params: { secretname: secretName },
        responses: { ...done, ...badRequest, ...notFound },
      },
      ({ doer, actor, params: { secretname } }) => handlers.deleteSecret(doer, holderOf(actor), secretname),
    )
    .get(
      "/variables",
      {
        operationId: "getUserVariablesList",
        summary: "List the variables of the own account",
        query: pagingQuery,
        responses: ok(t.Array(ActionVariable), "The variables, by name"),
      },
      ({ request, query, actor }) => handlers.listVariables({ request, query }, holderOf(actor)),
    )
    .get(
      "/variables/:variablename",
      {
        operationId: "getUserVariable",
        summary: "Get a variable of the own account",
        params,
        responses: { ...ok(ActionVariable, "The variable"), ...badRequest, ...notFound },
      },
      ({ actor, params: { variablename } }) => handlers.getVariable(holderOf(actor), variablename),
    )
    .post(
      "/variables/:variablename",
      {
        operationId: "createUserVariable",
        summary: "Make a variable of the own account",
        params,
        body: CreateVariableOption,
        responses: { ...done, ...badRequest, ...notFound, ...conflict },
      },
      ({ doer, actor, params: { variablename }, body }) =>
        handlers.createVariable(doer, holderOf(actor), variablename, body),
    )
    .put(
      "/variables/:variablename",
      {
        operationId: "updateUserVariable",
        summary: "Change a variable of the own account, or its name",
        params,
        body: UpdateVariableOption,
        responses: { ...done, ...badRequest, ...notFound, ...conflict },
      },
      ({ doer, actor, params: { variablename }, body }) =>
        handlers.editVariable(doer, holderOf(actor), variablename, body),
    )
    .delete(
      "/variables/:variablename",
      {
        operationId: "deleteUserVariable",
        summary: "Delete a variable of the own account",
        params,
        responses: { ...done, ...badRequest, ...notFound },
      },
      ({ doer, actor, params: { variablename } }) => handlers.deleteVariable(doer, holderOf(actor), variablename),
    );
}
