import type { MilestoneRow } from "../../domain/work/issues/queries.ts";
import { html, type Html } from "../html.ts";
import { icon } from "../parts/icon.ts";
import { wholeNumber } from "../parts/size.ts";
import { ago, dayOf } from "../parts/time.ts";
import type { Visit } from "../visit.ts";

/** How much of a milestone is done. */
export function progress({ openIssues, closedIssues }: MilestoneRow): Html {
  const all = openIssues + closedIssues;
  return html`<progress class="wide" value="${closedIssues}" max="${Math.max(all, 1)}" aria-label="${closedIssues} of ${all} are done"></progress>
    <p class="meta"><span>${wholeNumber(openIssues)} open</span><span>${wholeNumber(closedIssues)} closed</span></p>`;
}

/** When a milestone is due, and when it was closed. */
export function milestoneFacts(visit: Visit, { dueAt, closedAt }: MilestoneRow): Html {
  const isLate = dueAt !== null && closedAt === null && dueAt.getTime() < visit.now;
  return html`<p class="meta">${closedAt !== null && html`<span>closed ${ago(visit, closedAt)}</span>`}<span><span class="line${isLate ? " red" : ""}">${icon(visit, "calendar")}${dueAt === null ? "No due date" : `${isLate ? "Was due" : "Due"} ${dayOf(visit, dueAt)}`}</span></span></p>`;
}
