import { t } from "elysia";
import { addLabels, clearLabels, removeLabel, replaceLabels } from "../../domain/work/labels/label-issue.ts";
import { listLabelsOf } from "../../domain/work/labels/queries.ts";
import type { LabelRow } from "../../domain/work/issues/queries.ts";
import { getIssueRow } from "../../domain/work/issues/get-issue.ts";
import type { Api } from "../common/api.ts";
import { readInstant } from "../common/instants.ts";
import { empty } from "../common/reply.ts";
import { done, ok } from "../common/responses.ts";
import { rowId } from "../common/schema.ts";
import { presentLabel } from "./present.ts";
import { DeleteLabelsOption, IssueLabelsOption, Label } from "./schema.ts";

const index = rowId("Number of the issue or pull request");
const id = t.String({ description: "Id of the label, or its name" });
const list = ok(t.Array(Label), "The labels that it has now, by name");
const readTime = ({ updated_at: at }: { updated_at?: string }) =>
  at === undefined ? undefined : readInstant(at, "updated_at");

/** The writing operations; the singular path has the same ones under other names. */
function writing({ forge, group }: Api, prefix: "/repos/:owner/:repo/issue" | "/repos/:owner/:repo/issues") {
  const { addresses } = forge;
  const idOf = (name: string) => (prefix.endsWith("s") ? name : `${name}Singular`);
  return group(prefix, {
    tag: "issue",
    scopes: ["issue"],
    may: { on: "repository", do: "write", unit: "issues-or-pulls" },
  })
    .post(
      "/:index/labels",
      {
        operationId: idOf("issueAddLabel"),
        summary: "Add labels to an issue or a pull request",
        description:
          "Two labels of one exclusive scope are refused, and so is one beside another that it has: PUT replaces it.",
        params: { index },
        body: IssueLabelsOption,
        responses: list,
      },
      async ({ doer, repository, params, body }) => {
        const rows = await forge.change(doer, (work) =>
          addLabels(work, repository, params.index, body.labels ?? [], readTime(body)),
        );
        return rows.map((row: LabelRow) => presentLabel(addresses, repository, row));
      },
    )
    .put(
      "/:index/labels",
      {
        operationId: idOf("issueReplaceLabels"),
        summary: "Replace the labels of an issue or a pull request",
        params: { index },
        body: IssueLabelsOption,
        responses: list,
      },
      async ({ doer, repository, params, body }) => {
        const rows = await forge.change(doer, (work) =>
          replaceLabels(work, repository, params.index, body.labels ?? [], readTime(body)),
        );
        return rows.map((row: LabelRow) => presentLabel(addresses, repository, row));
      },
    )
    .delete(
      "/:index/labels",
      {
        operationId: idOf("issueClearLabels"),
        summary: "Take all labels from an issue or a pull request",
        params: { index },
        body: DeleteLabelsOption,
        responses: done,
      },
      async ({ doer, repository, params, body }) => {
        await forge.change(doer, (work) => clearLabels(work, repository, params.index, readTime(body)));
        return empty();
      },
    )
    .delete(
      "/:index/labels/:id",
      {
        operationId: idOf("issueRemoveLabel"),
        summary: "Take a label from an issue or a pull request",
        params: { index, id },
        body: DeleteLabelsOption,
        responses: done,
      },
      async ({ doer, repository, params, body }) => {
        await forge.change(doer, (work) => removeLabel(work, repository, params.index, params.id, readTime(body)));
        return empty();
      },
    );
}

/** Labels of an issue or a pull request. */
export function issueLabelRoutes(api: Api) {
  const { forge } = api;
  return writing(api, "/repos/:owner/:repo/issues").get(
    "/:index/labels",
    {
      operationId: "issueGetLabels",
      summary: "List the labels of an issue or a pull request",
      may: { on: "repository", do: "read", unit: "issues-or-pulls" },
      params: { index },
      responses: ok(t.Array(Label), "The labels, by name"),
    },
    async ({ repository, params }) => {
      const { id: issueId } = await getIssueRow(forge, repository, params.index);
      const rows = await listLabelsOf(forge.database.db, issueId);
      return rows.map((row) => presentLabel(forge.addresses, repository, row));
    },
  );
}

/** Labels by the singular path, which some clients know. */
export function singularLabelRoutes(api: Api) {
  return writing(api, "/repos/:owner/:repo/issue");
}
