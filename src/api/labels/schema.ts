import { t } from "elysia";
import { mostPerIssue } from "../../domain/work/issues/detail-queries.ts";
import { longestLabelDescription, longestLabelName } from "../../domain/work/labels/edit-label.ts";
import { dateTime, integer, nullable, rowId, sparseList } from "../common/schema.ts";

export const Label = t.Object(
  {
    archived_at: nullable(dateTime("When it was archived; null while it is in use")),
    color: t.String({ description: "Six hexadecimal digits" }),
    description: t.String(),
    exclusive: t.Boolean({
      description: "An issue has one label at most of those whose names begin alike, up to the last slash",
    }),
    id: integer(),
    is_archived: t.Boolean(),
    name: t.String(),
    url: t.String(),
  },
  { $id: "Label" },
);

const name = t.String({
  maxLength: longestLabelName,
  description: "Name; what stands before its last slash is its scope",
});
const color = t.String({ description: "Six hexadecimal digits or three, with # or without" });
const description = t.String({ maxLength: longestLabelDescription });
const exclusive = t.Boolean({ description: "An issue has one label of its scope at most" });
const isArchived = t.Boolean({ description: "It was archived, now if archived_at says nothing else" });
const archivedAt = nullable(dateTime("When it was archived; null: it is in use"));

export const CreateLabelOption = t.Object(
  {
    name,
    color,
    description: t.Optional(description),
    exclusive: t.Optional(exclusive),
    is_archived: t.Optional(isArchived),
    archived_at: t.Optional(archivedAt),
  },
  { $id: "CreateLabelOption" },
);

export const EditLabelOption = t.Object(
  {
    name: t.Optional(name),
    color: t.Optional(color),
    description: t.Optional(description),
    exclusive: t.Optional(exclusive),
    is_archived: t.Optional(isArchived),
    archived_at: t.Optional(archivedAt),
  },
  { $id: "EditLabelOption" },
);

const updatedAt = t.Optional(
  dateTime("When the issue is said to have been changed; for administrators of the repository"),
);

export const IssueLabelsOption = t.Object(
  {
    labels: t.Optional(
      sparseList(
        t.Union([rowId("Id of a label"), t.String({ description: "Name of a label" })]),
        "Labels of the repository or of its organization",
        { maxItems: mostPerIssue },
      ),
    ),
    updated_at: updatedAt,
  },
  { $id: "IssueLabelsOption" },
);

export const DeleteLabelsOption = t.Object({ updated_at: updatedAt }, { $id: "DeleteLabelsOption" });
