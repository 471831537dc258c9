import { t } from "elysia";
import { countPinned, listPinned } from "../../domain/work/issues/pin-queries.ts";
import { movePin, pinIssue, unpinIssue } from "../../domain/work/issues/pins.ts";
import type { Api } from "../common/api.ts";
import { empty } from "../common/reply.ts";
import { badRequest, done, ok } from "../common/responses.ts";
import { integer, rowId } from "../common/schema.ts";
import { presentIssues } from "./find-issue.ts";
import { Issue, NewIssuePinsAllowed } from "./schema.ts";

const index = rowId("Number of the issue or pull request");

/** Issues that stand before all others. */
export function issuePinRoutes({ forge, group }: Api) {
  const admin = { on: "repository", do: "admin", unit: "issues-or-pulls" } as const;

  return group("/repos/:owner/:repo", { tag: "issue", scopes: ["issue"], may: admin })
    .get(
      "/issues/pinned",
      {
        operationId: "repoListPinnedIssues",
        summary: "List the pinned issues of a repository in their order",
        tag: "repository",
        may: { on: "repository", do: "read", unit: "issues" },
        responses: ok(t.Array(Issue), "The issues"),
      },
      async ({ repository, actor, credential }) => {
        const rows = await listPinned(forge.database.db, repository.repository.id, false);
        return presentIssues(forge, { actor, credential }, repository, rows);
      },
    )
    .get(
      "/new_pin_allowed",
      {
        operationId: "repoNewPinAllowed",
        summary: "Ask whether one more issue, and one more pull request, can be pinned",
        tag: "repository",
        scopes: ["repository"],
        may: { on: "repository", do: "read", unit: "any" },
        responses: ok(NewIssuePinsAllowed, "Whether there is room"),
      },
      async ({ repository }) => {
        const { issues, pulls } = await countPinned(forge.database.db, repository.repository.id);
        const most = forge.config.issues.pinned;
        return { issues: issues < most, pull_requests: pulls < most };
      },
    )
    .post(
      "/issues/:index/pin",
      {
        operationId: "pinIssue",
        summary: "Pin an issue behind those that are",
        params: { index },
        responses: { ...done, ...badRequest },
      },
      async ({ doer, repository, params }) => {
        await forge.change(doer, (work) => pinIssue(work, repository, params.index));
        return empty();
      },
    )
    .delete(
      "/issues/:index/pin",
      { operationId: "unpinIssue", summary: "Unpin an issue", params: { index }, responses: done },
      async ({ doer, repository, params }) => {
        await forge.change(doer, (work) => unpinIssue(work, repository, params.index));
        return empty();
      },
    )
    .patch(
      "/issues/:index/pin/:position",
      {
        operationId: "moveIssuePin",
        summary: "Move a pinned issue to another place",
        params: { index, position: integer({ description: "From 1; behind the last: the last" }) },
        responses: done,
      },
      async ({ doer, repository, params }) => {
        await forge.change(doer, (work) => movePin(work, repository, params.index, params.position));
        return empty();
      },
    );
}
