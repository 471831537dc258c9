import type { OwnerRow, RepositoryAccess } from "../../auth/subject.ts";
import { listEntitled } from "../../domain/repos/entitled-queries.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import type { IssueRow, LabelRow, MilestoneRow } from "../../domain/work/issues/queries.ts";
import { listUsableLabels } from "../../domain/work/labels/queries.ts";
import { listMilestones } from "../../domain/work/milestones/queries.ts";
import { html, type Html } from "../html.ts";
import { offers } from "../offers.ts";
import type { PageSpec } from "../pages.ts";
import { icon } from "../parts/icon.ts";
import type { Visit } from "../visit.ts";
import type { IssueQuery } from "./issue-query.ts";
import { formAddress, type Listed } from "./listed.ts";

const mostChoices = { size: 200, offset: 0 };

/** Who may change several issues, or pull requests, at once. */
export const batchSpecs = {
  issues: { may: { on: "repository", do: "write", unit: "issues" }, signedIn: true },
  pulls: { may: { on: "repository", do: "write", unit: "pulls" }, signedIn: true },
} as const satisfies Record<string, PageSpec>;

/** Who may delete several. */
export const batchDeleteSpecs = {
  issues: { may: { on: "repository", do: "admin", unit: "issues" }, signedIn: true },
  pulls: { may: { on: "repository", do: "admin", unit: "pulls" }, signedIn: true },
} as const satisfies Record<string, PageSpec>;

/** The key of a list's declarations. */
export const unitOf = ({ kinds }: Pick<Listed, "kinds">) => (kinds[0] === true ? "pulls" : "issues");

/** What several issues can be given. */
export interface BatchChoices {
  readonly labels: readonly LabelRow[];
  readonly milestones: readonly MilestoneRow[];
  readonly assignees: readonly OwnerRow[];
}

export async function loadBatchChoices(forge: Forge, visit: Visit, access: RepositoryAccess): Promise<BatchChoices> {
  const { db } = forge.database;
  const [labels, milestones, assignees] = await Promise.all([
    listUsableLabels(db, access, mostChoices),
    listMilestones(db, access.repository.id, { state: "open", name: "" }, mostChoices),
    listEntitled(db, visit, access, ["issues", "pulls"], "write"),
  ]);
  return { labels, milestones: milestones.rows, assignees: assignees.slice(0, mostChoices.size) };
}

/** The box that marks an issue. It belongs to the form above the list. */
export function batchMark({ number }: IssueRow, marked: readonly string[]): Html {
  return html`<input type="checkbox" class="mark not-narrow" form="batch" name="number" value="${number}" aria-label="Mark #${number}"${marked.includes(String(number)) && html` checked`}>`;
}

const select = (name: string, words: string, options: Html) =>
  html`<select class="auto" name="${name}" aria-label="${words}"><option value="">${words}…</option>${options}</select>`;

/** The form that changes the marked issues. */
export function batchForm(
  visit: Visit,
  list: Listed,
  query: IssueQuery,
  { labels, milestones, assignees }: BatchChoices,
): Html {
  const ofLabels = (sign: string) =>
    html`${labels.map(({ id, name }) => html`<option value="${sign}${id}">${name}</option>`)}`;
  const mayDelete = offers(visit, batchDeleteSpecs[unitOf(list)]);
  return html`<form class="batch line flow not-narrow" id="batch" method="post" action="${formAddress(visit, list, "batch")}">${visit.formField()}<span class="soft">With the marked ones</span>
    ${query.state !== "closed" && html`<button class="button s" name="act" value="close">${icon(visit, "circle-check")}Close</button>`}${query.state !== "open" && html`<button class="button s" name="act" value="open">${icon(visit, "circle-dot")}Reopen</button>`}
    ${labels.length > 0 && select("label", "Label", html`<optgroup label="Add">${ofLabels("+")}</optgroup><optgroup label="Take away">${ofLabels("-")}</optgroup>`)}
    ${select("milestone", "Milestone", html`<option value="none">No milestone</option>${milestones.map(({ id, title }) => html`<option value="${id}">${title}</option>`)}`)}
    ${select("assignee", "Assignee", html`<option value="none">Nobody</option>${assignees.map(({ name }) => html`<option value="+${name}">${name}</option>`)}`)}
    <button class="button s main" name="act" value="change">Change</button>${mayDelete && html`<button class="button s danger" formaction="${formAddress(visit, list, "batch/delete")}">Delete…</button>`}</form>`;
}
