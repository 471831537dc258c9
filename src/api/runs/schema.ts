import { t } from "elysia";
import { dateTime, integer, nullable } from "../common/schema.ts";
import { User } from "../users/schema.ts";

export const RepoActionRun = t.Object(
  {
    event: t.String(),
    head_branch: t.String(),
    head_sha: t.String(),
    id: integer(),
    name: t.String(),
    run_number: integer(),
    status: t.String(),
    triggering_actor: nullable(User),
    url: t.String(),
    workflow_id: t.String(),
  },
  { $id: "RepoActionRun" },
);

export const ListRepoActionRunResponse = t.Object(
  { total_count: integer(), workflow_runs: t.Array(RepoActionRun) },
  { $id: "ListRepoActionRunResponse" },
);

export const ActionTask = t.Object(
  {
    created_at: dateTime(),
    display_title: t.String(),
    event: t.String(),
    head_branch: t.String(),
    head_sha: t.String(),
    id: integer(),
    name: t.String(),
    run_number: integer(),
    run_started_at: dateTime(),
    status: t.String(),
    updated_at: dateTime(),
    url: t.String(),
    workflow_id: t.String(),
  },
  { $id: "ActionTask" },
);

export const ActionTaskResponse = t.Object(
  { total_count: integer(), workflow_runs: t.Array(ActionTask) },
  { $id: "ActionTaskResponse" },
);

export const ActionRunJob = t.Object(
  {
    id: integer(),
    name: t.String(),
    needs: t.Array(t.String()),
    owner_id: integer(),
    repo_id: integer(),
    runs_on: t.Array(t.String()),
    status: t.String(),
    task_id: integer(),
  },
  { $id: "ActionRunJob" },
);

export const DispatchWorkflowOption = t.Object(
  {
    inputs: t.Optional(t.Record(t.String(), t.String(), { description: "Inputs of the workflow by their names" })),
    ref: t.String({ description: "Branch or tag" }),
    return_run_info: t.Optional(t.Boolean({ description: "Whether the run is told" })),
  },
  { $id: "DispatchWorkflowOption" },
);

export const DispatchWorkflowRun = t.Object(
  { id: integer(), jobs: t.Array(t.String()), run_number: integer() },
  { $id: "DispatchWorkflowRun" },
);
