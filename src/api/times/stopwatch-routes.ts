import { t } from "elysia";
import { listStopwatches } from "../../domain/work/times/stopwatch-queries.ts";
import { cancelStopwatch, startStopwatch, stopStopwatch } from "../../domain/work/times/stopwatches.ts";
import type { Api } from "../common/api.ts";
import { pageOf } from "../common/paging.ts";
import { empty } from "../common/reply.ts";
import { conflict, done, ok } from "../common/responses.ts";
import { pagingQuery, rowId } from "../common/schema.ts";
import { presentStopwatch } from "./present.ts";
import { StopWatch } from "./schema.ts";

const index = rowId("Number of the issue or pull request");

export function stopwatchRoutes({ forge, group }: Api) {
  return group("/repos/:owner/:repo/issues/:index/stopwatch", {
    tag: "issue",
    scopes: ["issue"],
    may: { on: "repository", do: "participate", unit: "issues-or-pulls" },
    params: { index },
  })
    .post(
      "/start",
      {
        operationId: "issueStartStopWatch",
        summary: "Start a stopwatch on an issue or a pull request",
        description: "One that runs on another issue is stopped, and what it measured is tracked.",
        responses: { 201: { description: "It runs" }, ...conflict },
      },
      async ({ doer, repository, params }) => {
        await forge.change(doer, (work) => startStopwatch(work, repository, params.index));
        return empty(201);
      },
    )
    .post(
      "/stop",
      {
        operationId: "issueStopStopWatch",
        summary: "Stop the stopwatch on an issue or a pull request, and track what it measured",
        responses: { 201: { description: "The time is tracked" }, ...conflict },
      },
      async ({ doer, repository, params }) => {
        await forge.change(doer, (work) => stopStopwatch(work, repository, params.index));
        return empty(201);
      },
    )
    .delete(
      "/delete",
      {
        operationId: "issueDeleteStopWatch",
        summary: "Take the stopwatch off an issue or a pull request: nothing is tracked",
        responses: { ...done, ...conflict },
      },
      async ({ doer, repository, params }) => {
        await forge.change(doer, (work) => cancelStopwatch(work, repository, params.index));
        return empty();
      },
    );
}

/** The stopwatches of the signed-in user. */
export function ownStopwatchRoutes({ forge, group }: Api) {
  return group("/user/stopwatches", { tag: "user", scopes: ["user"], may: { on: "account", do: "act-as-self" } }).get(
    "",
    {
      operationId: "userGetStopWatches",
      summary: "List the stopwatches of the caller that run",
      description: "There is one at most.",
      query: pagingQuery,
      responses: ok(t.Array(StopWatch), "The stopwatches"),
    },
    ({ request, query, actor, credential }) =>
      pageOf(
        { request, query, base: forge.addresses.base },
        (page) => listStopwatches(forge.database.db, { actor, credential }, page),
        presentStopwatch,
      ),
  );
}
