import type { RepositoryAccess } from "../../auth/subject.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { mayWriteIssue } from "../../domain/work/issues/access.ts";
import { listEntitled } from "../../domain/repos/entitled-queries.ts";
import { listUsableLabels } from "../../domain/work/labels/queries.ts";
import { listOpenMilestones } from "../../domain/work/milestones/queries.ts";
import type { CodeOwners } from "../../domain/work/reviews/code-owners.ts";
import { listReviewerChoices } from "../../domain/work/reviews/reviewer-choices.ts";
import type { Refusal } from "../errors.ts";
import type { Form } from "../form.ts";
import { html, type Html } from "../html.ts";
import { avatar } from "../parts/avatar.ts";
import { field } from "../parts/field.ts";
import { icon } from "../parts/icon.ts";
import { labelDot } from "../parts/label.ts";
import { readRowId } from "../read-row-id.ts";
import type { Visit } from "../visit.ts";

const most = 100;
const slice = { size: most, offset: 0 };

/** What a form chose for a pull request besides its texts. */
export interface ChosenFields {
  readonly reviewers: { readonly users: readonly string[]; readonly teams: readonly string[] };
  readonly labels: readonly number[];
  readonly assignees: readonly string[];
  readonly milestone: number | null;
}

/** Reads the choices. Others are typed with spaces or commas between them, teams as `organization/team`. */
export function chosenFields(form: Form): ChosenFields {
  const typed = form
    .text("reviewers")
    .split(/[\s,]+/)
    .filter((name) => name !== "");
  const names = [...form.all("reviewer"), ...typed].map((name) => name.replace(/^@/, ""));
  return {
    reviewers: {
      users: names.filter((name) => !name.includes("/")),
      teams: [...form.all("team"), ...names.flatMap((name) => name.split("/")[1] ?? [])],
    },
    labels: form.all("label").flatMap((id) => readRowId(id) ?? []),
    assignees: form.all("assignee"),
    milestone: readRowId(form.text("milestone")),
  };
}

/** A list of boxes, folded where none is ticked. */
function boxes(title: string, list: readonly Html[], isOpen: boolean): Html | null {
  return list.length === 0
    ? null
    : html`<details class="change"${isOpen && html` open`}><summary>${title}</summary><div class="choices">${list}</div></details>`;
}

/** The fields of a new pull request besides its texts: who reviews it, and for those who may write pull requests labels, a milestone and assignees. */
export async function pullFields(
  forge: Forge,
  visit: Visit,
  access: RepositoryAccess,
  owners: CodeOwners,
  refused: Refusal | null,
): Promise<Html> {
  const { db } = forge.database;
  const { form } = visit;
  const writes = mayWriteIssue(access, { isPull: true });
  const [choices, labels, milestones, assignees] = await Promise.all([
    listReviewerChoices(db, visit, access, most),
    writes ? listUsableLabels(db, access, slice) : [],
    writes ? listOpenMilestones(db, access.repository.id, most) : [],
    writes ? listEntitled(db, visit, access, ["issues", "pulls"], "write") : [],
  ]);
  const chosen = {
    reviewer: form.all("reviewer"),
    team: form.all("team"),
    label: form.all("label"),
    assignee: form.all("assignee"),
  };
  const isOpen = (name: keyof typeof chosen) => chosen[name].length > 0;
  const box = (name: keyof typeof chosen, value: string, content: Html) =>
    html`<label class="line"><input type="checkbox" name="${name}" value="${value}"${chosen[name].includes(value) && html` checked`}>${content}</label>`;
  const users = choices.users
    .filter(({ id }) => id !== visit.actor?.id)
    .map((user) => box("reviewer", user.name, html`${avatar(visit, user)}<span class="cut">${user.name}</span>`));
  const teams = choices.teams.map(({ team, organization }) =>
    box("team", team.name, html`${icon(visit, "users")}<span class="cut">${organization.name}/${team.name}</span>`),
  );
  const options = milestones.map(
    ({ id, title }) =>
      html`<option value="${id}"${form.text("milestone") === String(id) && html` selected`}>${title}</option>`,
  );
  const owned = [...owners.users, ...owners.teams.map(({ organization, team }) => `${organization}/${team}`)];
  return html`${
    owned.length > 0 &&
    html`<p class="soft">Code owners of the changed files: ${owned.slice(0, most).map((name, at) => html`${at > 0 && ", "}<b>${name}</b>`)}. ${access.repository.forkOf === null ? "They are asked for a review when it is opened, unless it is a draft." : "Ask them if you like."}</p>`
  }
${boxes("Reviewers", [...users, ...teams], isOpen("reviewer") || isOpen("team"))}
${field(refused, { name: "reviewers", label: "Other reviewers", hint: "Names of users, or of teams as organization/team." }, (attributes) => html`<input type="text" ${attributes} value="${form.text("reviewers")}" maxlength="2000" autocomplete="off" autocapitalize="none" spellcheck="false">`)}
${boxes(
  "Assignees",
  assignees
    .slice(0, most)
    .map((user) => box("assignee", user.name, html`${avatar(visit, user)}<span class="cut">${user.name}</span>`)),
  isOpen("assignee"),
)}
${boxes(
  "Labels",
  labels.map((label) =>
    box("label", String(label.id), html`${labelDot(label)}<span class="cut" dir="auto">${label.name}</span>`),
  ),
  isOpen("label"),
)}
${options.length > 0 && field(refused, { name: "milestone", label: "Milestone" }, (attributes) => html`<select ${attributes}><option value="">None</option>${options}</select>`)}`;
}
