import { t } from "elysia";
import { NotFound } from "../../domain/spine/errors.ts";
import { withParent } from "../../domain/repos/forks/with-parent.ts";
import { createDeployKey } from "../../domain/identity/keys/create-deploy-key.ts";
import { deleteDeployKey } from "../../domain/identity/keys/delete-deploy-key.ts";
import { findDeployKey, listDeployKeys } from "../../domain/identity/keys/queries.ts";
import type { Api } from "../common/api.ts";
import { pageOf } from "../common/paging.ts";
import { created, empty } from "../common/reply.ts";
import { done, made, ok } from "../common/responses.ts";
import { integer, pagingQuery, rowId } from "../common/schema.ts";
import { presentDeployKey } from "./present.ts";
import { CreateKeyOption, DeployKey } from "./schema.ts";

/** The keys that open a repository. */
export function deployKeyRoutes({ forge, group }: Api) {
  const { addresses, database } = forge;
  return group("/repos/:owner/:repo/keys", {
    tag: "repository",
    scopes: ["repository"],
    may: { on: "repository", do: "admin", unit: "any" },
    // Access to an archived repository must be taken away, too.
    onArchived: "allowed",
  })
    .get(
      "",
      {
        operationId: "repoListKeys",
        summary: "List a repository's deploy keys",
        query: {
          key_id: t.Optional(integer({ description: "Only the deploy key with this key" })),
          fingerprint: t.Optional(t.String({ description: "Only the deploy key with this fingerprint" })),
          ...pagingQuery,
        },
        responses: ok(t.Array(DeployKey), "The deploy keys, oldest first"),
      },
      async ({ request, actor, credential, repository, query }) => {
        const access = await withParent(database.db, { actor, credential }, repository);
        const filter = { fingerprint: query.fingerprint, keyId: query.key_id };
        return pageOf(
          { request, query, base: addresses.base },
          (page) => listDeployKeys(database.db, access.repository.id, filter, page),
          (row) => presentDeployKey(addresses, row, access, actor),
        );
      },
    )
    .post(
      "",
      {
        operationId: "repoCreateKey",
        summary: "Let a key open a repository",
        givesAccess: ["repository"],
        body: CreateKeyOption,
        responses: made(DeployKey, "The deploy key"),
      },
      async ({ doer, actor, credential, repository, body }) => {
        const option = { title: body.title, key: body.key, readOnly: body.read_only ?? false };
        const row = await forge.change(doer, (work) => createDeployKey(work, repository, option));
        const access = await withParent(database.db, { actor, credential }, repository);
        return created(presentDeployKey(addresses, row, access, actor));
      },
    )
    .get(
      "/:id",
      {
        operationId: "repoGetKey",
        summary: "Get a deploy key",
        params: { id: rowId("Id of the deploy key") },
        responses: ok(DeployKey, "The deploy key"),
      },
      async ({ actor, credential, repository, params }) => {
        const row = await findDeployKey(database.db, params.id, repository.repository.id);
        if (row === null) {
          throw new NotFound("deploy key", String(params.id));
        }
        return presentDeployKey(
          addresses,
          row,
          await withParent(database.db, { actor, credential }, repository),
          actor,
        );
      },
    )
    .delete(
      "/:id",
      {
        operationId: "repoDeleteKey",
        summary: "Delete a deploy key",
        params: { id: rowId("Id of the deploy key") },
        responses: done,
      },
      async ({ doer, repository, params }) => {
        await forge.change(doer, (work) => deleteDeployKey(work, repository, params.id));
        return empty();
      },
    );
}
