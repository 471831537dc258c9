import type { RepositoryAccess } from "../../auth/subject.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import type { FoundIssue } from "../../domain/work/issues/queries.ts";
import { html, type Html } from "../html.ts";
import { issueFormsLink, issueLink, ownerLink, repositoryLink } from "../links.ts";
import { avatar } from "../parts/avatar.ts";
import { icon } from "../parts/icon.ts";
import { stateIcon } from "../parts/issue-state.ts";
import { labelDot, labelTag } from "../parts/label.ts";
import { dayOf } from "../parts/time.ts";
import type { Visit } from "../visit.ts";
import { reviewersPart } from "../pulls/reviewers.ts";
import { stateOf } from "./issue-row.ts";
import type { Discussion } from "./load.ts";
import { dayValue } from "./read-day.ts";
import { issueSearchLink } from "./search-link.ts";
import { part } from "./side-part.ts";
import { branchPart, timesPart } from "./side-work.ts";

/** The choices with what is set now: one that is archived, or that the form has no room for, stays unless it is taken away. */
function withCurrent<Choice extends { readonly id: number }>(
  choices: readonly Choice[],
  current: readonly Choice[],
): readonly Choice[] {
  return [...choices, ...current.filter(({ id }) => !choices.some((one) => one.id === id))];
}

const none = (words: string): Html => html`<p class="faint">${words}</p>`;

function labels(visit: Visit, access: RepositoryAccess, { found, choices, rights }: Discussion, address: string): Html {
  const has = new Set(found.labels.map(({ id }) => id));
  const offered = withCurrent(choices.labels, found.labels);
  const shown = found.labels.map((label) =>
    labelTag(label, issueSearchLink(visit.root, access, found.issue, { labels: [label.name] })),
  );
  const boxes = offered.map(
    (label) =>
      html`<label class="line"><input type="checkbox" name="label" value="${label.id}"${has.has(label.id) && html` checked`}>${labelDot(label)}<span class="cut" dir="auto">${label.name}</span></label>`,
  );
  return part(
    visit,
    "Labels",
    shown.length === 0 ? none("None yet") : html`<div class="line flow">${shown}</div>`,
    rights.writes && offered.length > 0
      ? { address: `${address}/labels`, fields: html`<div class="choices">${boxes}</div>` }
      : null,
  );
}

function assignees(visit: Visit, { found, choices, rights }: Discussion, address: string): Html {
  const has = new Set(found.assignees.map(({ id }) => id));
  const offered = withCurrent(choices.assignees, found.assignees);
  const shown = found.assignees.map(
    (user) =>
      html`<li>${avatar(visit, user)}<a class="plain" href="${ownerLink(visit.root, user.name)}">${user.name}</a></li>`,
  );
  const boxes = offered.map(
    (user) =>
      html`<label class="line"><input type="checkbox" name="assignee" value="${user.name}"${has.has(user.id) && html` checked`}>${avatar(visit, user)}<span class="cut">${user.name}</span></label>`,
  );
  return part(
    visit,
    "Assignees",
    shown.length === 0 ? none("Nobody yet") : html`<ul class="facts">${shown}</ul>`,
    rights.writes ? { address: `${address}/assignees`, fields: html`<div class="choices">${boxes}</div>` } : null,
  );
}

function milestone(
  visit: Visit,
  access: RepositoryAccess,
  { found, choices, rights }: Discussion,
  address: string,
): Html {
  const current = found.milestone;
  const offered = withCurrent(choices.milestones, current === null ? [] : [current]);
  const options = offered.map(
    ({ id, title }) => html`<option value="${id}"${id === current?.id && html` selected`}>${title}</option>`,
  );
  const done = current === null ? 0 : current.closedIssues;
  const all = current === null ? 0 : done + current.openIssues;
  return part(
    visit,
    "Milestone",
    current === null
      ? none("None")
      : html`<div class="stack s"><a class="plain line" href="${repositoryLink(visit.root, access)}/milestone/${current.id}">${icon(visit, "milestone")}<b dir="auto">${current.title}</b>${current.dueAt !== null && html`<span class="soft">due ${dayOf(visit, current.dueAt)}</span>`}</a>${all > 0 && html`<progress class="wide" value="${done}" max="${all}" aria-label="${done} of ${all} are done"></progress>`}</div>`,
    rights.writes && offered.length > 0
      ? {
          address: `${address}/milestone`,
          fields: html`<select name="milestone" aria-label="Milestone"><option value="">None</option>${options}</select>`,
        }
      : null,
  );
}

function due(visit: Visit, { found, rights }: Discussion, address: string): Html | null {
  const { dueAt } = found.issue;
  if (dueAt === null && !rights.writes) {
    return null;
  }
  const isLate = dueAt !== null && dueAt.getTime() < visit.now && found.issue.closedAt === null;
  return part(
    visit,
    "Due date",
    dueAt === null
      ? none("None")
      : html`<p class="line${isLate ? " red" : ""}">${icon(visit, "calendar")}${dayOf(visit, dueAt)}${isLate && ", late"}</p>`,
    rights.writes
      ? {
          address: `${address}/due`,
          fields: html`<input type="date" name="due" aria-label="Due date" value="${dayValue(dueAt)}">`,
        }
      : null,
  );
}

function others(
  forge: Forge,
  visit: Visit,
  access: RepositoryAccess,
  title: string,
  list: readonly FoundIssue[],
  depend: { address: string } | null,
): Html | null {
  if (list.length === 0 && depend === null) {
    return null;
  }
  const isHere = (one: FoundIssue) => one.issue.repositoryId === access.repository.id;
  const rows = list.map(
    (one) =>
      html`<li>${stateIcon(visit, stateOf(forge, one))}${isHere(one) ? html`<a class="plain cut" dir="auto" href="${issueLink(visit.root, access, one.issue)}">${one.issue.title}</a><span class="faint">#${one.issue.number}</span>${depend !== null && html`<form class="inline" method="post" action="${depend.address}">${visit.formField()}<button class="button bare s icon" name="remove" value="${one.issue.number}" aria-label="No longer depend on ${one.issue.number}">${icon(visit, "x")}</button></form>`}` : html`<span class="cut" dir="auto">${one.issue.title}</span>`}</li>`,
  );
  return part(
    visit,
    title,
    rows.length === 0 ? none("Nothing") : html`<ul class="facts">${rows}</ul>`,
    depend === null
      ? null
      : {
          address: depend.address,
          fields: html`<input type="text" name="add" inputmode="numeric" placeholder="#12" aria-label="Number of the issue that must be closed first" maxlength="20">`,
        },
  );
}

function hears(visit: Visit, discussion: Discussion, address: string): Html | null {
  return discussion.hears === null
    ? null
    : html`<section><h2>Notifications</h2><form method="post" action="${address}/subscription">${visit.formField()}<button class="button" name="watching" value="${discussion.hears ? "0" : "1"}">${icon(visit, "bell")}${discussion.hears ? "Unsubscribe" : "Subscribe"}</button></form><p class="hint">${discussion.hears ? "You are told what happens here." : "You are not told what happens here."}</p></section>`;
}

/** The reasons of the family. */
const lockReasons = ["Off-topic", "Too heated", "Resolved", "Spam"];

function lock(visit: Visit, address: string): Html {
  const options = lockReasons.map((reason) => html`<option>${reason}</option>`);
  return html`<details class="change"><summary class="button bare s">${icon(visit, "lock")}Lock</summary><form class="stack s" method="post" action="${address}/lock">${visit.formField()}<label class="field">Reason<select name="reason"><option value="">None</option>${options}</select></label><p class="hint">Only those who may write here can comment then.</p><button class="button s" name="on" value="1">Lock the conversation</button></form></details>`;
}

function acts(visit: Visit, { found, rights }: Discussion, address: string): Html | null {
  const { pinOrder, lockedAt } = found.issue;
  const toggle = (name: "pin" | "lock", isOn: boolean, words: string) =>
    html`<form method="post" action="${address}/${name}">${visit.formField()}<button class="button bare s" name="on" value="${isOn ? "0" : "1"}">${icon(visit, name)}${words}</button></form>`;
  return rights.writes || rights.administers
    ? html`<section class="acts">${rights.administers && toggle("pin", pinOrder !== null, pinOrder === null ? "Pin" : "Unpin")}${rights.writes && (lockedAt === null ? lock(visit, address) : toggle("lock", true, "Unlock"))}${rights.writes && !found.issue.isPull && html`<a class="button bare s" href="${address}/transfer">${icon(visit, "arrow-left-right")}Transfer</a>`}${rights.administers && html`<a class="button bare s danger" href="${address}/delete">${icon(visit, "trash-2")}Delete</a>`}</section>`
    : null;
}

/** The column beside an issue or a pull request. `branchProblem`: why no branch was made for it. */
export function sideColumn(
  forge: Forge,
  visit: Visit,
  access: RepositoryAccess,
  discussion: Discussion,
  branchProblem: string | null,
): Html {
  const address = issueFormsLink(visit.root, access, discussion.found.issue);
  const { pull } = discussion;
  const { issue } = discussion.found;
  const mayDepend = discussion.rights.writes && access.repository.enableIssueDependencies;
  return html`<aside class="side" id="side" data-live aria-label="About this">${pull !== null && reviewersPart(visit, pull.reviews, discussion.rights.comments ? `${issueLink(visit.root, access, issue)}/reviewers` : null)}${assignees(visit, discussion, address)}${labels(visit, access, discussion, address)}${milestone(visit, access, discussion, address)}${due(visit, discussion, address)}${others(forge, visit, access, "Depends on", discussion.dependencies, mayDepend ? { address: `${address}/dependencies` } : null)}${others(forge, visit, access, "Blocks", discussion.blocks, null)}${discussion.dependencies.length + discussion.blocks.length > 0 && html`<p class="small"><a href="${address}/dependencies">Show the graph</a></p>`}${timesPart(visit, discussion, address)}${branchPart(visit, access, discussion, branchProblem)}${hears(visit, discussion, address)}${acts(visit, discussion, address)}</aside>`;
}
