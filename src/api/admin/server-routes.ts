import { t } from "elysia";
import { NotFound } from "../../domain/spine/errors.ts";
import {
  isRegularTask,
  listRegularTasks,
  minuteOfTheHour,
  requestRegularTask,
} from "../../domain/server/maintenance/regular-tasks.ts";
import { listOrganizations } from "../../domain/identity/orgs/queries.ts";
import type { Api } from "../common/api.ts";
import { never, presentInstant } from "../common/instants.ts";
import { pageOf, paged, readPage } from "../common/paging.ts";
import { empty } from "../common/reply.ts";
import { done, notFound, ok } from "../common/responses.ts";
import { pagingQuery } from "../common/schema.ts";
import { presentOrganization } from "../orgs/present.ts";
import { Organization } from "../orgs/schema.ts";
import { Cron } from "./schema.ts";

function instantOf(date: Date | null): string {
  return presentInstant(date) ?? never;
}

/** Operations of site administrators on the server as a whole. */
export function adminServerRoutes({ forge, group }: Api) {
  const { addresses, database } = forge;

  return group("/admin", { tag: "admin", scopes: ["admin"], may: { on: "instance", do: "administer" } })
    .get(
      "/orgs",
      {
        operationId: "adminGetAllOrgs",
        summary: "List all organizations",
        query: pagingQuery,
        responses: ok(t.Array(Organization), "The organizations, by name"),
      },
      async ({ request, actor, credential, query }) => {
        return pageOf(
          { request, query, base: addresses.base },
          (page) => listOrganizations(database.db, { actor, credential }, {}, page),
          (row) => presentOrganization(addresses, row, actor),
        );
      },
    )
    .get(
      "/cron",
      {
        operationId: "adminCronList",
        summary: "List what the server does regularly",
        query: pagingQuery,
        responses: ok(t.Array(Cron), "The tasks"),
      },
      async ({ request, query }) => {
        const page = readPage(query);
        const all = await listRegularTasks(forge);
        const shown = all.slice(page.offset, page.offset + page.size).map(({ name, runs, previous, next }) => ({
          name,
          schedule: next === null ? "" : `${minuteOfTheHour} * * * *`,
          next: instantOf(next),
          prev: instantOf(previous),
          exec_times: runs,
        }));
        return paged({ request, base: addresses.base }, page, all.length, shown);
      },
    )
    .post(
      "/cron/:task",
      {
        operationId: "adminCronRun",
        summary: "Do now what is done regularly",
        description: "Answers at once; the log tells what became of it.",
        params: { task: t.String({ description: "Name of the task" }) },
        responses: { ...done, ...notFound },
      },
      async ({ doer, params: { task } }) => {
        if (!isRegularTask(task)) {
          throw new NotFound("task", task);
        }
        await forge.change(doer, (work) => requestRegularTask(work, task));
        return empty();
      },
    )
    .get(
      "/unadopted",
      {
        operationId: "adminUnadoptedList",
        summary: "List repositories on disk that the database does not know",
        description:
          "There are none, ever: repositories are in the database, and files on disk belong to no one of them.",
        query: {
          pattern: t.Optional(t.String({ description: "A pattern that their names match" })),
          ...pagingQuery,
        },
        responses: ok(t.Array(t.String()), "Nothing"),
      },
      ({ request, query }) => paged({ request, base: addresses.base }, readPage(query), 0, []),
    )
    .post(
      "/unadopted/:owner/:repo",
      {
        operationId: "adminAdoptRepository",
        summary: "Take a repository on disk into the database",
        params: { owner: t.String({ description: "Name of the owner" }) },
        responses: { ...done, ...notFound },
      },
      ({ params }) => {
        throw new NotFound("unadopted repository", `${params.owner}/${params.repo}`);
      },
    )
    .delete(
      "/unadopted/:owner/:repo",
      {
        operationId: "adminDeleteUnadoptedRepository",
        summary: "Delete a repository on disk that the database does not know",
        params: { owner: t.String({ description: "Name of the owner" }) },
        responses: { ...done, ...notFound },
      },
      ({ params }) => {
        throw new NotFound("unadopted repository", `${params.owner}/${params.repo}`);
      },
    );
}
