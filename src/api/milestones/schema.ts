import { t } from "elysia";
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
