import type { NamedIssue } from "../../spine/events/names.ts";
import type { IssueRow } from "./queries.ts";

/** Names an issue for events. */
export function namedIssue({ id, number, title, isPull }: Pick<IssueRow, keyof NamedIssue>): NamedIssue {
  return { id, number, title, isPull };
}
