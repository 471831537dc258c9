import { t, type Static } from "elysia";
import type { RepositoryAccess } from "../../auth/subject.ts";
import { NotFound } from "../../domain/spine/errors.ts";
import { addPushMirror, deletePushMirror } from "../../domain/exchange/mirrors/edit-push-mirror.ts";
import { readInterval, writeInterval } from "../../domain/exchange/mirrors/interval.ts";
import { findPushMirror, listPushMirrors, type PushMirrorRow } from "../../domain/exchange/mirrors/queries.ts";
import { requestPullSync, requestPushSync } from "../../domain/exchange/mirrors/request-sync.ts";
import type { Api } from "../common/api.ts";
import { presentInstant } from "../common/instants.ts";
import { pageOf } from "../common/paging.ts";
import { empty } from "../common/reply.ts";
import { done, invalid, ok } from "../common/responses.ts";
import { pagingQuery } from "../common/schema.ts";
import { CreatePushMirrorOption, PushMirror } from "./schema.ts";

function present({ repository }: RepositoryAccess, row: PushMirrorRow): Static<typeof PushMirror> {
  return {
    branch_filter: row.branchFilter,
    created: presentInstant(row.createdAt),
    interval: writeInterval(row.intervalSeconds),
    last_error: row.lastError,
    last_update: presentInstant(row.syncedAt),
    public_key: row.publicKey ?? "",
    remote_address: row.address,
    remote_name: row.name,
    repo_name: repository.name,
    sync_on_commit: row.syncOnCommit,
  };
}

/** Mirrors: repositories that follow one elsewhere, and those elsewhere that follow one of this server. */
export function mirrorRoutes({ forge, group }: Api) {
  const { db } = forge.database;
  const name = { name: t.String({ description: "Name of the mirror" }) };
  const started = { 200: { description: "It begins soon" } };

  return group("/repos/:owner/:repo", {
    tag: "repository",
    scopes: ["repository"],
    may: { on: "repository", do: "admin", unit: "any" },
  })
    .post(
      "/mirror-sync",
      {
        operationId: "repoMirrorSync",
        summary: "Bring a mirror to where the repository is that it follows",
        may: { on: "repository", do: "write", unit: "code" },
        responses: { ...started, ...invalid },
      },
      async ({ doer, repository }) => {
        await forge.change(doer, (work) => requestPullSync(work, repository));
        return empty(200);
      },
    )
    .get(
      "/push_mirrors",
      {
        operationId: "repoListPushMirrors",
        summary: "List the push mirrors of a repository",
        query: pagingQuery,
        responses: ok(t.Array(PushMirror), "The push mirrors, oldest first"),
      },
      ({ request, query, repository }) =>
        pageOf(
          { request, query, base: forge.addresses.base },
          (page) => listPushMirrors(db, repository.repository.id, page),
          (row) => present(repository, row),
        ),
    )
    .post(
      "/push_mirrors",
      {
        operationId: "repoAddPushMirror",
        summary: "Add a push mirror",
        givesAccess: ["repository"],
        description:
          "All branches and tags are pushed there, and deleted there when they are gone here; with a filter, only branches that fit it. It begins soon.",
        body: CreatePushMirrorOption,
        responses: ok(PushMirror, "The push mirror"),
      },
      async ({ doer, repository, body }) => {
        const least = forge.config.mirror.minimum_interval_seconds;
        const row = await addPushMirror(forge, doer, repository, {
          address: body.remote_address ?? "",
          username: body.remote_username ?? "",
          password: body.remote_password ?? "",
          useSsh: body.use_ssh ?? false,
          intervalSeconds: readInterval(body.interval || "0", "interval", least),
          syncOnCommit: body.sync_on_commit ?? false,
          branchFilter: body.branch_filter ?? "",
        });
        return present(repository, row);
      },
    )
    .post(
      "/push_mirrors-sync",
      {
        operationId: "repoPushMirrorSync",
        summary: "Bring all push mirrors of a repository to where it is",
        responses: started,
      },
      async ({ doer, repository }) => {
        await forge.change(doer, (work) => requestPushSync(work, repository.repository.id));
        return empty(200);
      },
    )
    .get(
      "/push_mirrors/:name",
      {
        operationId: "repoGetPushMirrorByRemoteName",
        summary: "Get a push mirror",
        params: name,
        responses: ok(PushMirror, "The push mirror"),
      },
      async ({ repository, params }) => {
        const row = await findPushMirror(db, repository.repository.id, params.name);
        if (row === null) {
          throw new NotFound("push mirror", params.name.slice(0, 80));
        }
        return present(repository, row);
      },
    )
    .delete(
      "/push_mirrors/:name",
      { operationId: "repoDeletePushMirror", summary: "Delete a push mirror", params: name, responses: done },
      async ({ doer, repository, params }) => {
        await forge.change(doer, (work) => deletePushMirror(work, repository, params.name));
        return empty();
      },
    );
}
