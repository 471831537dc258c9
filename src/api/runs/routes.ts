import { t } from "elysia";
import { clip } from "../../lib/show-value.ts";
import { Forbidden, NotFound } from "../../domain/spine/errors.ts";
import type { Api } from "../common/api.ts";
import { made, notFound, ok } from "../common/responses.ts";
import { integer, oneOf, pagingQuery, rowId } from "../common/schema.ts";
import {
  ActionRunJob,
  ActionTaskResponse,
  DispatchWorkflowOption,
  DispatchWorkflowRun,
  ListRepoActionRunResponse,
  RepoActionRun,
} from "./schema.ts";

const runStates = ["unknown", "waiting", "running", "success", "failure", "cancelled", "skipped", "blocked"] as const;
const none = "The server runs no workflows, so there are none.";
const jobs = {
  description: none,
  query: { labels: t.Optional(t.String({ description: "Labels of the runner, with commas between them" })) },
  responses: ok(t.Array(ActionRunJob), "No jobs"),
};

const registration = {
  description: "Always 403: the server runs no workflows, so no runner can be registered.",
  responses: { 200: { description: "Never" } },
};

function refuseRunner(): never {
  throw new Forbidden("This server runs no workflows, so no runner can be registered; a webhook tells CI of pushes");
}

/**
 * The answers of a server without runners: nothing runs, and nothing waits. Clients ask before they do anything else.
 */
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
      "/repos/:owner/:repo/actions/runners/registration-token",
      {
        operationId: "repoGetRunnerRegistrationToken",
        summary: "Get the token with which a runner of a repository is registered",
        may: { on: "repository", do: "owner", unit: "any" },
        ...registration,
      },
      refuseRunner,
    )
    .post(
      "/repos/:owner/:repo/actions/workflows/:workflowname/dispatches",
      {
        operationId: "DispatchWorkflow",
        summary: "Start a workflow",
        description: "Always 404: the server runs no workflows, so there are none.",
        may: { on: "repository", do: "write", unit: "code" },
        params: { workflowname: t.String({ description: "Name of the workflow" }) },
        body: DispatchWorkflowOption,
        responses: { ...made(DispatchWorkflowRun, "Never"), 204: { description: "Never" }, ...notFound },
      },
      ({ params }) => {
        throw new NotFound("workflow", clip(params.workflowname, 80));
      },
    )
    .get(
      "/orgs/:org/actions/runners/registration-token",
      {
        operationId: "orgGetRunnerRegistrationToken",
        summary: "Get the token with which a runner of an organization is registered",
        tag: "organization",
        scopes: ["organization"],
        may: { on: "organization", do: "manage" },
        ...registration,
      },
      refuseRunner,
    )
    .get(
      "/user/actions/runners/registration-token",
      {
        operationId: "userGetRunnerRegistrationToken",
        summary: "Get the token with which a runner of one's own is registered",
        tag: "user",
        scopes: ["user"],
        may: { on: "account", do: "act-as-self" },
        ...registration,
      },
      refuseRunner,
    )
    .get(
      "/admin/runners/registration-token",
      {
        operationId: "adminGetRunnerRegistrationToken",
        summary: "Get the token with which a runner of the server is registered",
        tag: "admin",
        scopes: ["admin"],
        may: { on: "instance", do: "administer" },
        ...registration,
      },
      refuseRunner,
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
