import { t } from "elysia";
import { NotFound } from "../../domain/errors.ts";
import type { Api } from "../common/api.ts";
import { notFound, ok } from "../common/responses.ts";
import { integer, oneOf, pagingQuery, rowId } from "../common/schema.ts";
import { ActionRunJob, ActionTaskResponse, ListRepoActionRunResponse, RepoActionRun } from "./schema.ts";

const runStates = ["unknown", "waiting", "running", "success", "failure", "cancelled", "skipped", "blocked"] as const;
const none = "The server runs no workflows, so there are none.";
const jobs = {
  description: none,
  query: { labels: t.Optional(t.String({ description: "Labels of the runner, with commas between them" })) },
  responses: ok(t.Array(ActionRunJob), "No jobs"),
};

/** What a server without runners says of them: nothing runs, and nothing waits. Clients ask before they do anything else. */
export function runRoutes({ group }: Api) {
  const filter = {
    ...pagingQuery,
    event: t.Optional(t.Array(t.String())),
    status: t.Optional(t.Array(oneOf(runStates))),
    run_number: t.Optional(integer()),
    head_sha: t.Optional(t.String()),
  };
  return group("", { tag: "repository", scopes: ["repository"], may: { on: "repository", do: "read", unit: "code" } })
    .get(
      "/repos/:owner/:repo/actions/runs",
      {
        operationId: "ListActionRuns",
        summary: "List the runs of workflows of a repository",
        description: none,
        query: filter,
        responses: ok(ListRepoActionRunResponse, "No runs"),
      },
      () => ({ total_count: 0, workflow_runs: [] }),
    )
    .get(
      "/repos/:owner/:repo/actions/runs/:run_id",
      {
        operationId: "ActionRun",
        summary: "Get a run of a workflow",
        description: none,
        params: { run_id: rowId("Id of the run") },
        responses: { ...ok(RepoActionRun, "The run"), ...notFound },
      },
      ({ params }) => {
        throw new NotFound("run", String(params.run_id));
      },
    )
    .get(
      "/repos/:owner/:repo/actions/tasks",
      {
        operationId: "ListActionTasks",
        summary: "List the tasks of workflows of a repository",
        description: none,
        query: pagingQuery,
        responses: ok(ActionTaskResponse, "No tasks"),
      },
      () => ({ total_count: 0, workflow_runs: [] }),
    )
    .get(
      "/repos/:owner/:repo/actions/runners/jobs",
      {
        operationId: "repoSearchRunJobs",
        summary: "List the jobs that wait for a runner of a repository",
        may: { on: "repository", do: "owner", unit: "any" },
        ...jobs,
      },
      () => [],
    )
    .get(
      "/orgs/:org/actions/runners/jobs",
      {
        operationId: "orgSearchRunJobs",
        summary: "List the jobs that wait for a runner of an organization",
        tag: "organization",
        scopes: ["organization"],
        may: { on: "organization", do: "manage" },
        ...jobs,
      },
      () => [],
    )
    .get(
      "/user/actions/runners/jobs",
      {
        operationId: "userSearchRunJobs",
        summary: "List the jobs that wait for a runner of one's own",
        tag: "user",
        scopes: ["user"],
        may: { on: "account", do: "act-as-self" },
        ...jobs,
      },
      () => [],
    )
    .get(
      "/admin/runners/jobs",
      {
        operationId: "adminSearchRunJobs",
        summary: "List the jobs that wait for a runner of the server",
        tag: "admin",
        scopes: ["admin"],
        may: { on: "instance", do: "administer" },
        ...jobs,
      },
      () => [],
    );
}
