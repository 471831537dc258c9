import { t } from "elysia";
import { NotFound } from "../../domain/spine/errors.ts";
import {
  createMilestone,
  deleteMilestone,
  editMilestone,
  type MilestoneInput,
} from "../../domain/work/milestones/edit-milestone.ts";
import { findMilestoneNamed, listMilestones } from "../../domain/work/milestones/queries.ts";
import { clip } from "../../lib/show-value.ts";
import type { Api } from "../common/api.ts";
import { readInstant, zeroOfGo } from "../common/instants.ts";
import { pageOf } from "../common/paging.ts";
import { created, empty } from "../common/reply.ts";
import { done, made, ok } from "../common/responses.ts";
import { oneOf, pagingQuery, searchText } from "../common/schema.ts";
import { presentMilestone } from "./present.ts";
import { CreateMilestoneOption, EditMilestoneOption, Milestone } from "./schema.ts";

const id = t.String({ description: "Id of the milestone, or its title where no milestone has the id" });

/**
 * Reads the fields of a milestone except its title. A due date of null counts as absent, because the family's clients
 * always send one.
 */
function inputOf(body: typeof EditMilestoneOption.static): MilestoneInput {
  const dueAt = body.due_on === undefined ? undefined : readInstant(body.due_on, "due_on");
  return {
    description: body.description,
    dueAt: dueAt?.getTime() === zeroOfGo ? null : dueAt,
    closed: body.state === undefined ? undefined : body.state === "closed",
  };
}

/** Milestones of repositories: listed, made, read, changed, deleted. */
export function milestoneRoutes({ forge, group }: Api) {
  const { addresses, database } = forge;
  return group("/repos/:owner/:repo/milestones", {
    tag: "issue",
    scopes: ["issue"],
    may: { on: "repository", do: "write", unit: "issues-or-pulls" },
  })
    .get(
      "",
      {
        operationId: "issueGetMilestonesList",
        summary: "List milestones, those that are due first before others",
        may: { on: "repository", do: "read", unit: "issues-or-pulls" },
        query: {
          state: t.Optional(oneOf(["open", "closed", "all"], "Open ones if absent")),
          name: searchText("A part of the title"),
          ...pagingQuery,
        },
        responses: ok(t.Array(Milestone), "The milestones"),
      },
      ({ request, query, repository }) =>
        pageOf(
          { request, query, base: addresses.base },
          (page) =>
            listMilestones(
              database.db,
              repository.repository.id,
              { state: query.state ?? "open", name: query.name ?? "" },
              page,
            ),
          presentMilestone,
        ),
    )
    .post(
      "",
      {
        operationId: "issueCreateMilestone",
        summary: "Create a milestone",
        body: CreateMilestoneOption,
        responses: made(Milestone, "The milestone"),
      },
      async ({ doer, repository, body }) => {
        const input = { ...inputOf(body), title: body.title ?? "" };
        return created(presentMilestone(await forge.change(doer, (work) => createMilestone(work, repository, input))));
      },
    )
    .get(
      "/:id",
      {
        operationId: "issueGetMilestone",
        summary: "Get a milestone",
        may: { on: "repository", do: "read", unit: "issues-or-pulls" },
        params: { id },
        responses: ok(Milestone, "The milestone"),
      },
      async ({ repository, params }) => {
        const row = await findMilestoneNamed(database.db, repository.repository.id, params.id);
        if (row === null) {
          throw new NotFound("milestone", clip(params.id, 80));
        }
        return presentMilestone(row);
      },
    )
    .patch(
      "/:id",
      {
        operationId: "issueEditMilestone",
        summary: "Change, close or reopen a milestone; what is not sent stays",
        description: "The due date 0001-01-01T00:00:00Z takes the due date away; null leaves it.",
        params: { id },
        body: EditMilestoneOption,
        responses: ok(Milestone, "The milestone"),
      },
      async ({ doer, repository, params, body }) => {
        // Clients of the family send an empty title for one that stays.
        const input = { ...inputOf(body), title: body.title === "" ? undefined : body.title };
        return presentMilestone(await forge.change(doer, (work) => editMilestone(work, repository, params.id, input)));
      },
    )
    .delete(
      "/:id",
      {
        operationId: "issueDeleteMilestone",
        summary: "Delete a milestone; its issues stay",
        params: { id },
        responses: done,
      },
      async ({ doer, repository, params }) => {
        await forge.change(doer, (work) => deleteMilestone(work, repository, params.id));
        return empty();
      },
    );
}
