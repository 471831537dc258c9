import type { Static } from "elysia";
import type { Milestone } from "./schema.ts";
import type { MilestoneRow } from "../../domain/work/issues/queries.ts";
import { presentInstant } from "../common/instants.ts";
import { PresentedRows } from "../common/presented-rows.ts";

const presented = new PresentedRows<MilestoneRow, ReturnType<typeof makeMilestone>>();

/** A milestone as the family's Milestone. */
export function presentMilestone(row: MilestoneRow): Static<typeof Milestone> {
  return presented.present(row, "", 0, () => makeMilestone(row));
}

function makeMilestone(row: MilestoneRow) {
  return {
    closed_at: presentInstant(row.closedAt),
    closed_issues: row.closedIssues,
    created_at: presentInstant(row.createdAt),
    description: row.description,
    due_on: presentInstant(row.dueAt),
    id: row.id,
    open_issues: row.openIssues,
    state: row.closedAt === null ? ("open" as const) : ("closed" as const),
    title: row.title,
    updated_at: presentInstant(row.updatedAt),
  };
}
