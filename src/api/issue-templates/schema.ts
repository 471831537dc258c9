import { t } from "elysia";
import { fieldPlaces, fieldTypes } from "../../domain/work/issue-templates/read-form.ts";
import { nullable } from "../common/schema.ts";

const IssueFormFieldVisible = t.String({
  $id: "IssueFormFieldVisible",
  description: `Where it is shown: ${fieldPlaces.join(" or ")}`,
});

const IssueFormField = t.Object(
  {
    attributes: t.Record(t.String(), t.Any()),
    id: t.String(),
    type: t.String({ description: `One of ${fieldTypes.join(", ")}` }),
    validations: t.Record(t.String(), t.Any()),
    visible: t.Optional(t.Array(IssueFormFieldVisible)),
  },
  { $id: "IssueFormField" },
);

export const IssueTemplate = t.Object(
  {
    about: t.String(),
    body: nullable(t.Array(IssueFormField, { description: "The fields of a form; null where it is none" })),
    content: t.String({ description: "The text, in Markdown; empty for a form" }),
    file_name: t.String({ description: "Its path in the repository" }),
    labels: t.Array(t.String(), { description: "Names of labels" }),
    name: t.String(),
    ref: t.String({ description: "Full name of a branch or tag; empty: none" }),
    title: t.String(),
  },
  { $id: "IssueTemplate" },
);

const IssueConfigContactLink = t.Object(
  { about: t.String(), name: t.String(), url: t.String() },
  { $id: "IssueConfigContactLink" },
);

export const IssueConfig = t.Object(
  {
    blank_issues_enabled: t.Boolean({ description: "Whether an issue can be opened without a template" }),
    contact_links: t.Array(IssueConfigContactLink, { description: "Where somebody should rather ask" }),
  },
  { $id: "IssueConfig" },
);

export const IssueConfigValidation = t.Object(
  { message: t.String({ description: "What is wrong; empty: nothing" }), valid: t.Boolean() },
  { $id: "IssueConfigValidation" },
);
