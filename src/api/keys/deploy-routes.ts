import { Elysia, t } from "elysia";
import { NotFound } from "../../domain/errors.ts";
import { createDeployKey } from "../../domain/keys/create-deploy-key.ts";
import { deleteDeployKey } from "../../domain/keys/delete-deploy-key.ts";
import { findDeployKey, listDeployKeys } from "../../domain/keys/queries.ts";
import type { Api } from "../common/api.ts";
import { pageOf } from "../common/paging.ts";
import { created, empty } from "../common/reply.ts";
import { badRequest, done, forbidden, invalid, made, notFound, ok, signInNeeded } from "../common/responses.ts";
import { integer, pagingQuery, repositoryParams, rowId } from "../common/schema.ts";
import { presentDeployKey } from "./present.ts";
import { CreateKeyOption, DeployKey } from "./schema.ts";

const administer = { scopes: ["repository"], may: { on: "repository", do: "admin" }, signedIn: true } as const;
const keyParams = t.Object({ ...repositoryParams, id: rowId("Id of the deploy key") });

/** The keys that open a repository. */
export function deployKeyRoutes({ forge, endpoint }: Api) {
  const { addresses, database } = forge;
  return new Elysia({ prefix: "/repos/:owner/:repo/keys" })
    .get(
      "",
      ...endpoint(
        {
          ...administer,
          operationId: "repoListKeys",
          tag: "repository",
          summary: "List a repository's deploy keys",
          params: t.Object(repositoryParams),
          query: t.Object({
            key_id: t.Optional(integer({ description: "Only the deploy key with this key" })),
            fingerprint: t.Optional(t.String({ description: "Only the deploy key with this fingerprint" })),
            ...pagingQuery,
          }),
          responses: { ...ok(t.Array(DeployKey), "The deploy keys, oldest first"), ...signInNeeded, ...forbidden, ...notFound, ...invalid },
        },
        async ({ request, actor, repository: access, query }) => {
          const filter = { fingerprint: query.fingerprint, keyId: query.key_id };
          return pageOf(
            { request, query, base: addresses.base },
            (page) => listDeployKeys(database.db, access.repository.id, filter, page),
            (row) => presentDeployKey(addresses, row, access, actor),
          );
        },
      ),
    )
    .post(
      "",
      ...endpoint(
        {
          ...administer,
          operationId: "repoCreateKey",
          tag: "repository",
          summary: "Let a key open a repository",
          params: t.Object(repositoryParams),
          body: CreateKeyOption,
          responses: { ...made(DeployKey, "The deploy key"), ...badRequest, ...signInNeeded, ...forbidden, ...notFound, ...invalid },
        },
        async ({ actor, repository: access, body }) => {
          const option = { title: body.title, key: body.key, readOnly: body.read_only ?? false };
          const row = await database.db.transaction((tx) => createDeployKey(tx, access.repository, option));
          return created(presentDeployKey(addresses, row, access, actor));
        },
      ),
    )
    .get(
      "/:id",
      ...endpoint(
        {
          ...administer,
          operationId: "repoGetKey",
          tag: "repository",
          summary: "Get a deploy key",
          params: keyParams,
          responses: { ...ok(DeployKey, "The deploy key"), ...signInNeeded, ...forbidden, ...notFound, ...invalid },
        },
        async ({ actor, repository: access, params }) => {
          const row = await findDeployKey(database.db, params.id, access.repository.id);
          if (row === null) {
            throw new NotFound("deploy key", String(params.id));
          }
          return presentDeployKey(addresses, row, access, actor);
        },
      ),
    )
    .delete(
      "/:id",
      ...endpoint(
        {
          ...administer,
          operationId: "repoDeleteKey",
          tag: "repository",
          summary: "Delete a deploy key",
          params: keyParams,
          responses: { ...done, ...signInNeeded, ...forbidden, ...notFound, ...invalid },
        },
        async ({ repository: { repository }, params }) => {
          await database.db.transaction((tx) => deleteDeployKey(tx, params.id, repository.id));
          return empty();
        },
      ),
    );
}
