import { t } from "elysia";
import { NotFound } from "../../domain/spine/errors.ts";
import type { LabelRow } from "../../domain/work/issues/queries.ts";
import {
  createLabel,
  deleteLabel,
  editLabel,
  type LabelInput,
  type LabelPlace,
} from "../../domain/work/labels/edit-label.ts";
import { findLabel, listLabels } from "../../domain/work/labels/queries.ts";
import type { Api } from "../common/api.ts";
import { readInstant } from "../common/instants.ts";
import { pageOf } from "../common/paging.ts";
import { created, empty } from "../common/reply.ts";
import { done, made, ok } from "../common/responses.ts";
import { pagingQuery, rowId } from "../common/schema.ts";
import { presentLabel } from "./present.ts";
import { CreateLabelOption, EditLabelOption, Label } from "./schema.ts";

const id = rowId("Id of the label");
const list = ok(t.Array(Label), "The labels, by name");

/** Turns a body into the input of the use case. */
function inputOf(body: typeof EditLabelOption.static): LabelInput {
  const { archived_at: archivedAt } = body;
  return {
    color: body.color,
    description: body.description,
    exclusive: body.exclusive,
    isArchived: body.is_archived,
    archivedAt: typeof archivedAt === "string" ? readInstant(archivedAt, "archived_at") : archivedAt,
  };
}

/** Labels of repositories: listed, made, read, changed, deleted. Those of its organization are listed with the organization. */
export function labelRoutes({ forge, group }: Api) {
  const { addresses, database } = forge;
  const presenter = (place: LabelPlace) => (row: LabelRow) => presentLabel(addresses, place, row);

  return group("/repos/:owner/:repo/labels", {
    tag: "issue",
    scopes: ["issue"],
    may: { on: "repository", do: "write", unit: "issues-or-pulls" },
  })
    .get(
      "",
      {
        operationId: "issueListLabels",
        summary: "List the labels of a repository",
        may: { on: "repository", do: "read", unit: "issues-or-pulls" },
        query: pagingQuery,
        responses: list,
      },
      ({ request, query, repository }) =>
        pageOf(
          { request, query, base: addresses.base },
          (page) => listLabels(database.db, { repositoryId: repository.repository.id }, page),
          presenter(repository),
        ),
    )
    .post(
      "",
      {
        operationId: "issueCreateLabel",
        summary: "Create a label",
        body: CreateLabelOption,
        responses: made(Label, "The label"),
      },
      async ({ doer, repository, body }) => {
        const input = { ...inputOf(body), name: body.name, color: body.color };
        return created(presenter(repository)(await forge.change(doer, (work) => createLabel(work, repository, input))));
      },
    )
    .get(
      "/:id",
      {
        operationId: "issueGetLabel",
        summary: "Get a label",
        may: { on: "repository", do: "read", unit: "issues-or-pulls" },
        params: { id },
        responses: ok(Label, "The label"),
      },
      async ({ repository, params }) => {
        const row = await findLabel(database.db, { repositoryId: repository.repository.id }, params.id);
        if (row === null) {
          throw new NotFound("label", String(params.id));
        }
        return presenter(repository)(row);
      },
    )
    .patch(
      "/:id",
      {
        operationId: "issueEditLabel",
        summary: "Change a label; what is not sent stays",
        params: { id },
        body: EditLabelOption,
        responses: ok(Label, "The label"),
      },
      async ({ doer, repository, params, body }) => {
        const input = { ...inputOf(body), name: body.name };
        return presenter(repository)(await forge.change(doer, (work) => editLabel(work, repository, params.id, input)));
      },
    )
    .delete(
      "/:id",
      { operationId: "issueDeleteLabel", summary: "Delete a label", params: { id }, responses: done },
      async ({ doer, repository, params }) => {
        await forge.change(doer, (work) => deleteLabel(work, repository, params.id));
        return empty();
      },
    );
}

const placeOf = ({ owner }: { owner: LabelPlace["owner"] }): LabelPlace => ({ owner, repository: null });

/** Labels of organizations, which all of their repositories can use. */
export function organizationLabelRoutes({ forge, group }: Api) {
  const { addresses, database } = forge;
  const presenter = (place: LabelPlace) => (row: LabelRow) => presentLabel(addresses, place, row);

  return group("/orgs/:org/labels", {
    tag: "organization",
    scopes: ["organization"],
    may: { on: "organization", do: "manage" },
  })
    .get(
      "",
      {
        operationId: "orgListLabels",
        summary: "List the labels of an organization",
        may: { on: "organization", do: "see" },
        query: pagingQuery,
        responses: list,
      },
      ({ request, query, owner }) =>
        pageOf(
          { request, query, base: addresses.base },
          (page) => listLabels(database.db, { ownerId: owner.owner.id }, page),
          presenter(placeOf(owner)),
        ),
    )
    .post(
      "",
      {
        operationId: "orgCreateLabel",
        summary: "Create a label for all repositories of an organization",
        body: CreateLabelOption,
        responses: made(Label, "The label"),
      },
      async ({ doer, owner, body }) => {
        const place = placeOf(owner);
        const input = { ...inputOf(body), name: body.name, color: body.color };
        return created(presenter(place)(await forge.change(doer, (work) => createLabel(work, place, input))));
      },
    )
    .get(
      "/:id",
      {
        operationId: "orgGetLabel",
        summary: "Get a label of an organization",
        may: { on: "organization", do: "see" },
        params: { id },
        responses: ok(Label, "The label"),
      },
      async ({ owner, params }) => {
        const row = await findLabel(database.db, { ownerId: owner.owner.id }, params.id);
        if (row === null) {
          throw new NotFound("label", String(params.id));
        }
        return presenter(placeOf(owner))(row);
      },
    )
    .patch(
      "/:id",
      {
        operationId: "orgEditLabel",
        summary: "Change a label of an organization; what is not sent stays",
        params: { id },
        body: EditLabelOption,
        responses: ok(Label, "The label"),
      },
      async ({ doer, owner, params, body }) => {
        const place = placeOf(owner);
        const input = { ...inputOf(body), name: body.name };
        return presenter(place)(await forge.change(doer, (work) => editLabel(work, place, params.id, input)));
      },
    )
    .delete(
      "/:id",
      { operationId: "orgDeleteLabel", summary: "Delete a label of an organization", params: { id }, responses: done },
      async ({ doer, owner, params }) => {
        await forge.change(doer, (work) => deleteLabel(work, placeOf(owner), params.id));
        return empty();
      },
    );
}
