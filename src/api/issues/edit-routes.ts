import type { Static } from "elysia";
import { deleteIssue } from "../../domain/work/issues/delete-issue.ts";
import {
  editIssue,
  lockConversation,
  unlockConversation,
  type IssuePatch,
} from "../../domain/work/issues/edit-issue.ts";
import { InvalidInput } from "../../lib/errors.ts";
import { clip } from "../../lib/show-value.ts";
import type { Api } from "../common/api.ts";
import { presentInstant, readInstant } from "../common/instants.ts";
import { created, empty } from "../common/reply.ts";
import { conflict, done, made, openDependencies } from "../common/responses.ts";
import { rowId } from "../common/schema.ts";
import { presentOneIssue } from "./find-issue.ts";
import { EditDeadlineOption, EditIssueOption, Issue, IssueDeadline, LockIssueOption } from "./schema.ts";

const index = rowId("Number of the issue or pull request");

/** Reads a state. Throws InvalidInput. */
export function readClosed(state: string): boolean {
  if (state !== "open" && state !== "closed") {
    throw new InvalidInput(`A state is "open" or "closed", not "${clip(state, 80)}"`, "state");
  }
  return state === "closed";
}

/** The family's clients send nothing, null or an empty title for an unchanged field. */
function readPatch(body: Static<typeof EditIssueOption>): IssuePatch {
  const { assignee, assignees } = body;
  const namesSomebody = assignee != null || assignees != null;
  return {
    title: body.title || undefined,
    body: body.body ?? undefined,
    closed: body.state == null ? undefined : readClosed(body.state),
    ref: body.ref ?? undefined,
    assignees: namesSomebody ? [...(assignee ? [assignee] : []), ...(assignees ?? [])] : undefined,
    milestone: body.milestone == null ? undefined : body.milestone || null,
    dueAt:
      body.unset_due_date === true ? null : body.due_date == null ? undefined : readInstant(body.due_date, "due_date"),
    updatedAt: body.updated_at == null ? undefined : readInstant(body.updated_at, "updated_at"),
  };
}

/** Changes of an issue or a pull request. */
export function issueEditRoutes({ forge, group }: Api) {
  return group("/repos/:owner/:repo/issues/:index", {
    tag: "issue",
    scopes: ["issue"],
    may: { on: "repository", do: "participate", unit: "issues-or-pulls" },
    params: { index },
  })
    .patch(
      "",
      {
        operationId: "issueEditIssue",
        summary: "Change an issue",
        description:
          "Its author may change the title, the text and the state. The rest, and the issues of others, are for those who may write to the issues of the repository. What is absent or null stays.",
        body: EditIssueOption,
        responses: { ...made(Issue, "The issue"), ...conflict, ...openDependencies },
      },
      async ({ doer, repository, params, body, actor, credential }) => {
        const row = await forge.change(doer, (work) => editIssue(work, repository, params.index, readPatch(body)));
        return created(await presentOneIssue(forge, { actor, credential }, repository, row));
      },
    )
    .delete(
      "",
      {
        operationId: "issueDelete",
        summary: "Delete an issue with all that belongs to it",
        may: { on: "repository", do: "admin", unit: "issues-or-pulls" },
        responses: done,
      },
      async ({ doer, repository, params }) => {
        await forge.change(doer, (work) => deleteIssue(work, repository, params.index));
        return empty();
      },
    )
    .post(
      "/deadline",
      {
        operationId: "issueEditIssueDeadline",
        summary: "Set until when an issue is due, or that it is not",
        body: EditDeadlineOption,
        responses: made(IssueDeadline, "Until when it is due"),
      },
      async ({ doer, repository, params, body }) => {
        const dueAt = body.due_date === null ? null : readInstant(body.due_date, "due_date");
        const row = await forge.change(doer, (work) => editIssue(work, repository, params.index, { dueAt }));
        return created({ due_date: presentInstant(row.dueAt) });
      },
    )
    .put(
      "/lock",
      {
        operationId: "issueLockIssue",
        summary: "Lock an issue: only those who may write issues comment on it",
        body: LockIssueOption,
        responses: done,
      },
      async ({ doer, repository, params, body }) => {
        await forge.change(doer, (work) => lockConversation(work, repository, params.index, body.lock_reason ?? ""));
        return empty();
      },
    )
    .delete(
      "/lock",
      { operationId: "issueUnlockIssue", summary: "Unlock an issue", responses: done },
      async ({ doer, repository, params }) => {
        await forge.change(doer, (work) => unlockConversation(work, repository, params.index));
        return empty();
      },
    );
}
