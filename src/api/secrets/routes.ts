import { t, type Static } from "elysia";
import type { OwnerAccess, RepositoryAccess } from "../../auth/subject.ts";
import { actorOf, type Doer } from "../../domain/spine/doer.ts";
import { NotFound } from "../../domain/spine/errors.ts";
import { namedOwner, namedRepository } from "../../domain/spine/events/names.ts";
import { deleteSecret, setSecret } from "../../domain/repos/secrets/edit-secret.ts";
import { createVariable, deleteVariable, editVariable } from "../../domain/repos/secrets/edit-variable.ts";
import type { Holder } from "../../domain/repos/secrets/holder.ts";
import { findVariable, listSecrets, listVariables, type VariableRow } from "../../domain/repos/secrets/queries.ts";
import { readSecretName } from "../../domain/repos/secrets/secret-name.ts";
import type { Api } from "../common/api.ts";
import { presentInstant } from "../common/instants.ts";
import { pageOf } from "../common/paging.ts";
import { empty } from "../common/reply.ts";
import { badRequest, conflict, done, notFound, ok } from "../common/responses.ts";
import { pagingQuery } from "../common/schema.ts";
import {
  ActionVariable,
  CreateOrUpdateSecretOption,
  CreateVariableOption,
  Secret,
  secretName,
  UpdateVariableOption,
  variableName,
} from "./schema.ts";

/** The holders of secrets and variables, by the word for them in names of operations. */
const holders = {
  Org: {
    at: "/orgs/:org/actions",
    defaults: { tag: "organization", scopes: ["organization"], may: { on: "organization", do: "manage" } },
    of: "an organization",
  },
  Repo: {
    at: "/repos/:owner/:repo/actions",
    defaults: { tag: "repository", scopes: ["repository"], may: { on: "repository", do: "owner", unit: "any" } },
    of: "a repository",
  },
  User: {
    at: "/user/actions",
    defaults: { tag: "user", scopes: ["user"], may: { on: "account", do: "act-as-self" } },
    of: "the own account",
  },
} as const;

interface Asked {
  doer: Doer;
  /** null: of the own account. */
  owner: OwnerAccess | null;
  repository: RepositoryAccess | null;
}

function holderOf({ doer, owner, repository }: Asked): Holder {
  return repository === null
    ? { owner: namedOwner(owner?.owner ?? actorOf(doer)), repository: null }
    : { owner: namedOwner(repository.owner), repository: namedRepository(repository) };
}

function presentVariable(row: VariableRow): Static<typeof ActionVariable> {
  const { ownerId, repositoryId, name, value, description } = row;
  return { owner_id: ownerId ?? 0, repo_id: repositoryId ?? 0, name, data: value, description };
}

/** Secrets and variables of one kind of holder, without the list of secrets. */
function secretRoutes({ forge, group }: Api, word: keyof typeof holders) {
  const { db } = forge.database;
  const { at, defaults, of } = holders[word];
  const params = { variablename: variableName };
  const absent = word === "User" ? notFound : {};
  return group(at, defaults)
    .put(
      "/secrets/:secretname",
      {
        operationId: `update${word}Secret`,
        summary: `Set a secret of ${of}`,
        params: { secretname: secretName },
        body: CreateOrUpdateSecretOption,
        responses: {
          201: { description: "There was none of this name" },
          204: { description: "It has another value" },
          ...badRequest,
        },
      },
      async (asked) => {
        const { data: value, description } = asked.body;
        const secret = { name: asked.params.secretname, value, description };
        const isNew = await forge.change(asked.doer, (work) =>
          setSecret(work, forge.keys.seal, holderOf(asked), secret),
        );
        return isNew ? empty(201) : empty(204);
      },
    )
    .delete(
      "/secrets/:secretname",
      {
        operationId: `delete${word}Secret`,
        summary: `Delete a secret of ${of}`,
        params: { secretname: secretName },
        responses: { ...done, ...badRequest, ...absent },
      },
      async (asked) => {
        await forge.change(asked.doer, (work) => deleteSecret(work, holderOf(asked), asked.params.secretname));
        return empty();
      },
    )
    .get(
      "/variables",
      {
        operationId: `get${word}VariablesList`,
        summary: `List the variables of ${of}`,
        query: pagingQuery,
        responses: ok(t.Array(ActionVariable), "The variables, by name"),
      },
      (asked) =>
        pageOf(
          { ...asked, base: forge.addresses.base },
          (page) => listVariables(db, holderOf(asked), page),
          presentVariable,
        ),
    )
    .get(
      "/variables/:variablename",
      {
        operationId: `get${word}Variable`,
        summary: `Get a variable of ${of}`,
        params,
        responses: { ...ok(ActionVariable, "The variable"), ...badRequest, ...absent },
      },
      async (asked) => {
        const name = readSecretName(asked.params.variablename);
        const row = await findVariable(db, holderOf(asked), name);
        if (row === null) {
          throw new NotFound("variable", name);
        }
        return presentVariable(row);
      },
    )
    .post(
      "/variables/:variablename",
      {
        operationId: `create${word}Variable`,
        summary: `Make a variable of ${of}`,
        params,
        body: CreateVariableOption,
        responses: { ...done, ...badRequest, ...absent, ...conflict },
      },
      async (asked) => {
        const { value, description } = asked.body;
        const variable = { name: asked.params.variablename, value, description };
        await forge.change(asked.doer, (work) => createVariable(work, holderOf(asked), variable));
        return empty();
      },
    )
    .put(
      "/variables/:variablename",
      {
        operationId: `update${word}Variable`,
        summary: `Change a variable of ${of}, or its name`,
        params,
        body: UpdateVariableOption,
        responses: { ...done, ...badRequest, ...absent, ...conflict },
      },
      async (asked) => {
        const { value, description, name: rename } = asked.body;
        await forge.change(asked.doer, (work) =>
          editVariable(work, holderOf(asked), asked.params.variablename, { value, description, rename }),
        );
        return empty();
      },
    )
    .delete(
      "/variables/:variablename",
      {
        operationId: `delete${word}Variable`,
        summary: `Delete a variable of ${of}`,
        params,
        responses: { ...done, ...badRequest, ...absent },
      },
      async (asked) => {
        await forge.change(asked.doer, (work) => deleteVariable(work, holderOf(asked), asked.params.variablename));
        return empty();
      },
    );
}

/** Adds the list of secrets, which the API has for repositories and organizations. */
function listedSecretRoutes(api: Api, word: "Org" | "Repo") {
  const { forge } = api;
  const { of } = holders[word];
  return secretRoutes(api, word).get(
    "/secrets",
    {
      operationId: `${word === "Org" ? "org" : "repo"}ListActionsSecrets`,
      summary: `List the secrets of ${of}`,
      description: "Nobody is told their values.",
      query: pagingQuery,
      responses: ok(t.Array(Secret), "The secrets, by name"),
    },
    (asked) =>
      pageOf(
        { ...asked, base: forge.addresses.base },
        (page) => listSecrets(forge.database.db, holderOf(asked), page),
        ({ name, description, createdAt }) => ({ name, description, created_at: presentInstant(createdAt) }),
      ),
  );
}

export const organizationSecretRoutes = (api: Api) => listedSecretRoutes(api, "Org");
export const repositorySecretRoutes = (api: Api) => listedSecretRoutes(api, "Repo");
export const userSecretRoutes = (api: Api) => secretRoutes(api, "User");
