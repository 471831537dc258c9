import { t } from "elysia";
import type { Actor, Credential, RepositoryAccess } from "../../auth/subject.ts";
import { withParent } from "../../domain/repos/forks/with-parent.ts";
import { createStatus } from "../../domain/repos/statuses/create-status.ts";
import { listLatestStatuses, listStatuses } from "../../domain/repos/statuses/queries.ts";
import type { Api } from "../common/api.ts";
import { followsSpecification } from "../common/specification-clients.ts";
import { paged, readPage } from "../common/paging.ts";
import { created } from "../common/reply.ts";
import { made, ok } from "../common/responses.ts";
import { oneOf, pagingQuery } from "../common/schema.ts";
import { presentCombinedStatus, presentStatus } from "./present.ts";
import { CombinedStatus, CommitStatus, CommitStatusState, CreateStatusOption } from "./schema.ts";

const ref = t.String({ description: "A branch or tag, the oid of a commit, or its first digits; a slash as %2F" });

/** By their numbers, which are in the order of time: a status is never changed. */
const listQuery = {
  sort: t.Optional(
    oneOf(
      ["oldest", "recentupdate", "leastupdate", "leastindex", "highestindex"],
      "oldest, leastupdate, leastindex: the oldest first; recentupdate, highestindex: the newest first, as without it",
    ),
  ),
  state: t.Optional(CommitStatusState),
  ...pagingQuery,
};

interface Asked {
  request: Request;
  actor: Actor | null;
  credential: Credential;
  repository: RepositoryAccess;
}

interface ListOptions {
  sort?: string;
  state?: Parameters<typeof listStatuses>[3]["state"];
  page?: number;
  limit?: number;
}

const oldestFirst = ["oldest", "leastupdate", "leastindex"];

/** Statuses that CI systems set on commits. */
export function statusRoutes({ forge, group }: Api) {
  const { addresses, database, config } = forge;

  async function commitOf({ repository }: Asked, name: string): Promise<string> {
    return (await forge.git.revisions.get(repository.repository, name)).commit;
  }

  async function list(asked: Asked, oid: string, options: ListOptions) {
    const { request, actor, credential, repository: access } = asked;
    const page = readPage(options);
    const { rows, total } = await listStatuses(
      database.db,
      { actor, credential },
      { repositoryId: access.repository.id, oid },
      { state: options.state ?? null, oldestFirst: oldestFirst.includes(options.sort ?? "") },
      page,
    );
    const shown = rows.map((row) => presentStatus(addresses, access, row));
    return paged({ request, base: addresses.base }, page, total, shown);
  }

  async function combine(asked: Asked, oid: string, options: ListOptions) {
    const { request, actor, credential, repository: access } = asked;
    const page = readPage(options);
    const target = { repositoryId: access.repository.id, oid };
    const found = await listLatestStatuses(database.db, { actor, credential }, target, page);
    const where = await withParent(database.db, asked, access);
    const shown = presentCombinedStatus(addresses, where, actor, oid, found);
    return paged({ request, base: addresses.base }, page, found.total, shown);
  }

  return group("/repos/:owner/:repo", {
    tag: "repository",
    scopes: ["repository"],
    may: { on: "repository", do: "read", unit: "code" },
  })
    .get(
      "/commits/:ref/status",
      {
        operationId: "repoGetCombinedStatusByRef",
        summary: "Get the combined status of a commit: the worst of the newest status of each context",
        params: { ref },
        query: pagingQuery,
        responses: ok(CombinedStatus, "The combined status"),
      },
      async (asked) => combine(asked, await commitOf(asked, asked.params.ref), asked.query),
    )
    .get(
      "/commits/:ref/statuses",
      {
        operationId: "repoListStatusesByRef",
        summary: "Get the combined status of a commit, or list its statuses",
        description:
          "The combined status for plain HTTP tools (api.specification_clients), unless page, limit, sort or state is given; else the list of all statuses, as in Gitea and Forgejo.",
        params: { ref },
        query: listQuery,
        responses: {
          200: {
            description: "The combined status, or the statuses",
            schema: CombinedStatus,
            or: t.Array(CommitStatus),
          },
        },
      },
      async (asked) => {
        const { request, params, query } = asked;
        const oid = await commitOf(asked, params.ref);
        const { page, limit, sort, state } = query;
        const isAskedForList = [page, limit, sort, state].some((value) => value !== undefined);
        return !isAskedForList && followsSpecification(config.api.specification_clients, request)
          ? combine(asked, oid, {})
          : list(asked, oid, query);
      },
    )
    .get(
      "/statuses/:sha",
      {
        operationId: "repoListStatuses",
        summary: "List the statuses of a commit",
        params: { sha: ref },
        query: listQuery,
        responses: ok(t.Array(CommitStatus), "The statuses, the newest first"),
      },
      async (asked) => list(asked, await commitOf(asked, asked.params.sha), asked.query),
    )
    .post(
      "/statuses/:sha",
      {
        operationId: "repoCreateStatus",
        summary: "Add a status to a commit",
        description:
          "Answers 200 with the first page of the commit's statuses to plain HTTP tools (api.specification_clients), else 201 with the new status, as in Gitea and Forgejo. A commit takes 20,000 statuses, of 1,000 contexts, and 10,000 of each of these.",
        may: { on: "repository", do: "write", unit: "code" },
        params: { sha: ref },
        body: CreateStatusOption,
        responses: {
          ...ok(t.Array(CommitStatus), "The commit's statuses, the newest first, for plain HTTP tools"),
          ...made(CommitStatus, "The new status"),
        },
      },
      async (asked) => {
        const { actor, doer, repository: access, params, body } = asked;
        const oid = await commitOf(asked, params.sha);
        const { state, context, description, target_url: targetUrl } = body;
        const status = await forge.change(doer, (work) =>
          createStatus(work, access, oid, { state, context, description, targetUrl }),
        );
        return followsSpecification(config.api.specification_clients, asked.request)
          ? list(asked, oid, {})
          : created(presentStatus(addresses, access, { status, creator: actor }));
      },
    );
}
