import { Elysia, t } from "elysia";
import { NotFound } from "../../domain/errors.ts";
import { listOrganizations } from "../../domain/orgs/queries.ts";
import type { Api } from "../common/api.ts";
import { never } from "../common/instants.ts";
import { pageOf, paged, readPage } from "../common/paging.ts";
import { empty } from "../common/reply.ts";
import { done, forbidden, invalid, notFound, ok, signInNeeded } from "../common/responses.ts";
import { pagingQuery } from "../common/schema.ts";
import { presentOrganization } from "../orgs/present.ts";
import { Organization } from "../orgs/schema.ts";
import { Cron } from "./schema.ts";

const administer = { tag: "admin", scopes: ["admin"], may: { on: "instance", do: "administer" }, signedIn: true } as const;
const unadopted = t.Object({ owner: t.String({ description: "Name of the owner" }), repo: t.String({ description: "Name of the repository" }) });

function instantOf(date: Date | null): string {
  return date?.toISOString() ?? never;
}

/** What site administrators see and do of the server as a whole. */
export function adminServerRoutes({ forge, endpoint }: Api) {
  const { addresses, database, tasks } = forge;

  return new Elysia({ prefix: "/admin" })
    .get(
      "/orgs",
      ...endpoint(
        {
          ...administer,
          operationId: "adminGetAllOrgs",
          summary: "List all organizations",
          query: t.Object(pagingQuery),
          responses: { ...ok(t.Array(Organization), "The organizations, by name"), ...signInNeeded, ...forbidden, ...invalid },
        },
        async ({ request, actor, credential, query }) => {
          return pageOf(
            { request, query, base: addresses.base },
            (page) => listOrganizations(database.db, { actor, credential }, {}, page),
            (row) => presentOrganization(addresses, row, actor),
          );
        },
      ),
    )
    .get(
      "/cron",
      ...endpoint(
        {
          ...administer,
          operationId: "adminCronList",
          summary: "List what the server does regularly",
          query: t.Object(pagingQuery),
          responses: { ...ok(t.Array(Cron), "The tasks"), ...signInNeeded, ...forbidden, ...invalid },
        },
        ({ request, query }) => {
          const page = readPage(query);
          const all = tasks.list();
          const shown = all
            .slice(page.offset, page.offset + page.size)
            .map(({ name, runs, previous, next }) => ({ name, schedule: next === null ? "" : "@every 1h", next: instantOf(next), prev: instantOf(previous), exec_times: runs }));
          return paged({ request, base: addresses.base }, page, all.length, shown);
        },
      ),
    )
    .post(
      "/cron/:task",
      ...endpoint(
        {
          ...administer,
          operationId: "adminCronRun",
          summary: "Do now what is done regularly",
          description: "Answers at once; the log tells what became of it.",
          params: t.Object({ task: t.String({ description: "Name of the task" }) }),
          responses: { ...done, ...signInNeeded, ...forbidden, ...notFound },
        },
        ({ params: { task } }) => {
          if (!tasks.has(task)) {
            throw new NotFound("task", task);
          }
          void tasks.run(task);
          return empty();
        },
      ),
    )
    .get(
      "/unadopted",
      ...endpoint(
        {
          ...administer,
          operationId: "adminUnadoptedList",
          summary: "List repositories on disk that the database does not know",
          description: "There are none, ever: repositories are in the database, and files on disk belong to no one of them.",
          query: t.Object({ pattern: t.Optional(t.String({ description: "A pattern that their names match" })), ...pagingQuery }),
          responses: { ...ok(t.Array(t.String()), "Nothing"), ...signInNeeded, ...forbidden, ...invalid },
        },
        ({ request, query }) => paged({ request, base: addresses.base }, readPage(query), 0, []),
      ),
    )
    .post(
      "/unadopted/:owner/:repo",
      ...endpoint(
        {
          ...administer,
          operationId: "adminAdoptRepository",
          summary: "Take a repository on disk into the database",
          params: unadopted,
          responses: { ...done, ...signInNeeded, ...forbidden, ...notFound },
        },
        ({ params }) => {
          throw new NotFound("unadopted repository", `${params.owner}/${params.repo}`);
        },
      ),
    )
    .delete(
      "/unadopted/:owner/:repo",
      ...endpoint(
        {
          ...administer,
          operationId: "adminDeleteUnadoptedRepository",
          summary: "Delete a repository on disk that the database does not know",
          params: unadopted,
          responses: { ...done, ...signInNeeded, ...forbidden, ...notFound },
        },
        ({ params }) => {
          throw new NotFound("unadopted repository", `${params.owner}/${params.repo}`);
        },
      ),
    );
}
