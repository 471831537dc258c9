import { createIssue } from "../../domain/work/issues/create-issue.ts";
import { getIssueRow } from "../../domain/work/issues/get-issue.ts";
import type { Api } from "../common/api.ts";
import { created } from "../common/reply.ts";
import { made, ok } from "../common/responses.ts";
import { readInstant } from "../common/instants.ts";
import { rowId } from "../common/schema.ts";
import { presentOneIssue } from "./find-issue.ts";
import { CreateIssueOption, Issue } from "./schema.ts";

const index = rowId("Number of the issue or pull request");

export function issueRoutes({ forge, group }: Api) {
  return group("/repos/:owner/:repo/issues", {
    tag: "issue",
    scopes: ["issue"],
    may: { on: "repository", do: "read", unit: "issues-or-pulls" },
  })
    .post(
      "",
      {
        operationId: "issueCreateIssue",
        summary: "Open an issue",
        may: { on: "repository", do: "participate", unit: "issues" },
        body: CreateIssueOption,
        responses: made(Issue, "The issue"),
      },
      async ({ doer, repository, body, actor, credential }) => {
        const { assignee, assignees } = body;
        const row = await forge.change(doer, (work) =>
          createIssue(work, repository, {
            title: body.title,
            body: body.body ?? "",
            ref: body.ref ?? "",
            assignees: [...(assignee === undefined || assignee === "" ? [] : [assignee]), ...(assignees ?? [])],
            labels: body.labels ?? [],
            milestone: body.milestone || null,
            dueAt: body.due_date == null ? null : readInstant(body.due_date, "due_date"),
            closed: body.closed ?? false,
          }),
        );
        return created(await presentOneIssue(forge, { actor, credential }, repository, row));
      },
    )
    .get(
      "/:index",
      {
        operationId: "issueGetIssue",
        summary: "Get an issue or a pull request",
        params: { index },
        responses: ok(Issue, "The issue"),
      },
      async ({ repository, params, actor, credential }) => {
        const row = await getIssueRow(forge, repository, params.index);
        return presentOneIssue(forge, { actor, credential }, repository, row);
      },
    );
}
