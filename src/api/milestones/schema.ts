import { t } from "elysia";
import { longestMilestoneDescription, longestMilestoneTitle } from "../../domain/work/milestones/edit-milestone.ts";
import { dateTime, integer, nullable, oneOf } from "../common/schema.ts";

export const Milestone = t.Object(
  {
    closed_at: nullable(dateTime()),
    closed_issues: integer(),
    created_at: dateTime(),
    description: t.String(),
    due_on: nullable(dateTime()),
    id: integer(),
    open_issues: integer(),
    state: oneOf(["open", "closed"]),
    title: t.String(),
    updated_at: nullable(dateTime()),
  },
  { $id: "Milestone" },
);

const title = t.String({ maxLength: longestMilestoneTitle });
const description = t.String({ maxLength: longestMilestoneDescription });
const dueOn = dateTime("When it is due");
const state = oneOf(["open", "closed"]);

export const CreateMilestoneOption = t.Object(
  {
    title: t.Optional(title),
    description: t.Optional(description),
    due_on: t.Optional(dueOn),
    state: t.Optional(state),
  },
  { $id: "CreateMilestoneOption" },
);

export const EditMilestoneOption = t.Object(
  {
    title: t.Optional(title),
    description: t.Optional(description),
    due_on: t.Optional(dueOn),
    state: t.Optional(state),
  },
  { $id: "EditMilestoneOption" },
);
