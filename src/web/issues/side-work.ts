import type { RepositoryAccess } from "../../auth/subject.ts";
import { durationInWords } from "../../lib/duration.ts";
import { html, type Html } from "../html.ts";
import { issueFormsLink, sourceLink } from "../links.ts";
import { offers } from "../offers.ts";
import { writesCode } from "../pages.ts";
import { icon } from "../parts/icon.ts";
import { ago } from "../parts/time.ts";
import type { Visit } from "../visit.ts";
import { proposedBranch } from "./branch-name.ts";
import type { Discussion } from "./load.ts";
import { part } from "./side-part.ts";

/** Buttons for the visitor's stopwatch of an issue. */
function stopwatchForm(visit: Visit, address: string, isRunning: boolean): Html {
  const buttons = isRunning
    ? html`<button class="button s" name="do" value="stop">Stop</button><button class="button s" name="do" value="cancel">Throw away<span class="sr"> what it measured</span></button>`
    : html`<button class="button s" name="do" value="start">Start the stopwatch</button>`;
  return html`<form class="line flow" method="post" action="${address}/stopwatch">${visit.formField()}${buttons}</form>`;
}

/** The time that was spent on it, with the stopwatch and a form that adds some. */
export function timesPart(visit: Visit, { times }: Discussion, address: string): Html | null {
  if (times === null || (times.spent.count === 0 && !times.tracks)) {
    return null;
  }
  const { spent, tracks, runningSince } = times;
  const isMine = (userId: number | null) => userId !== null && userId === visit.actor?.id;
  const rows = spent.latest.map(
    ({ id, userId, name, seconds, createdAt }) =>
      html`<li><span class="grow">${name ?? "Ghost"}, ${durationInWords(seconds)} <span class="faint">${ago(visit, createdAt)}</span></span>${tracks && (isMine(userId) || visit.actor?.isAdmin === true) && html`<form class="inline" method="post" action="${address}/times">${visit.formField()}<button class="button bare s icon" name="delete" value="${id}" aria-label="Delete ${durationInWords(seconds)} of ${name ?? "Ghost"}">${icon(visit, "x")}</button></form>`}</li>`,
  );
  const entries =
    spent.count === 0
      ? null
      : html`<details class="change"><summary class="small"><span class="link">${spent.count === 1 ? "1 entry" : `${spent.count} entries`}</span></summary><ul class="facts">${rows}</ul></details>`;
  const running = html`${runningSince !== null && html`<p class="line">${icon(visit, "clock")}<span>Runs since ${ago(visit, runningSince)}</span></p>`}${(tracks || runningSince !== null) && stopwatchForm(visit, address, runningSince !== null)}`;
  return part(
    visit,
    "Time",
    html`<div class="stack s"><p>${spent.seconds === 0 ? html`<span class="faint">None yet</span>` : html`${durationInWords(spent.seconds)}${times.isOwnOnly && html` <span class="faint">of yours</span>`}`}</p>${running}${entries}</div>`,
    tracks
      ? {
          address: `${address}/times`,
          verb: "Add",
          fields: html`<div class="line"><label class="line"><input class="auto" type="number" name="hours" min="0" max="8760" size="4" inputmode="numeric">h</label><label class="line"><input class="auto" type="number" name="minutes" min="0" max="59" size="4" inputmode="numeric">min</label></div>`,
        }
      : null,
  );
}

/** The branch that it is worked on, and forms that say which, or make one. */
export function branchPart(
  visit: Visit,
  access: RepositoryAccess,
  { found, rights }: Discussion,
  refused: string | null,
): Html | null {
  const { issue } = found;
  if (issue.isPull || (issue.ref === "" && !rights.writes)) {
    return null;
  }
  const address = issueFormsLink(visit.root, access, issue);
  const name = issue.ref.replace(/^refs\/heads\//, "");
  const makes = issue.ref === "" && rights.writes && offers(visit, writesCode) && !access.repository.empty;
  const made = html`<details class="change"${refused !== null && html` open`}><summary class="small"><span class="link">${icon(visit, "git-branch")}Make a branch</span></summary><form class="stack s" method="post" action="${address}/branch">${visit.formField()}<label class="field" for="branch-name">Name<input class="mono" id="branch-name" name="name" value="${visit.form.has("name") ? visit.form.text("name") : proposedBranch(issue)}" maxlength="100" autocomplete="off" autocapitalize="none" spellcheck="false" required${refused !== null && html` aria-invalid="true" aria-describedby="branch-problem"`}></label>${refused !== null && html`<p class="problem" id="branch-problem">${refused}.</p>`}<p class="hint">From ${access.repository.defaultBranch}</p><button class="button s">Make it</button></form></details>`;
  const shown =
    issue.ref === ""
      ? html`<p class="faint">None yet</p>`
      : html`<a class="ref" href="${sourceLink(visit.root, access, { kind: "branch", name }, "")}">${name}</a>`;
  return part(
    visit,
    "Branch",
    html`${shown}${makes && made}`,
    rights.writes
      ? {
          address: `${address}/ref`,
          fields: html`<input class="mono" type="text" name="ref" aria-label="Branch or tag" value="${name}" maxlength="255" autocomplete="off" autocapitalize="none" spellcheck="false">`,
        }
      : null,
  );
}
