import type { RepositoryAccess } from "../../auth/subject.ts";
import { NotFound } from "../../domain/spine/errors.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import type { MilestoneRow } from "../../domain/work/issues/queries.ts";
import {
  createMilestone,
  deleteMilestone,
  editMilestone,
  longestMilestoneDescription,
  longestMilestoneTitle,
} from "../../domain/work/milestones/edit-milestone.ts";
import { findMilestoneNamed, listMilestones } from "../../domain/work/milestones/queries.ts";
import type { Refusal } from "../errors.ts";
import type { Form } from "../form.ts";
import { html, type Html } from "../html.ts";
import { repositoryLink } from "../links.ts";
import { offers } from "../offers.ts";
import type { DeclarePage, PageRoute } from "../pages.ts";
import { field, problemAbove } from "../parts/field.ts";
import { icon } from "../parts/icon.ts";
import { empty, note } from "../parts/note.ts";
import { pager, sliceOf } from "../parts/pager.ts";
import { wholeNumber } from "../parts/size.ts";
import { ago, dayOf } from "../parts/time.ts";
import { Redirect, type Page } from "../respond.ts";
import { tryForm } from "../try-form.ts";
import type { Visit } from "../visit.ts";
import { dayValue, readDay } from "./read-day.ts";
import { renderComments } from "./texts.ts";
import { issueSearchLink } from "./search-link.ts";
import { readRowId } from "../read-row-id.ts";

const reads = { may: { on: "repository", do: "read", unit: "issues-or-pulls" } } as const;
const writes = { may: { on: "repository", do: "write", unit: "issues-or-pulls" }, signedIn: true } as const;

interface Typed {
  readonly title: string;
  readonly description: string;
  readonly due: string;
}

const typedIn = (form: Form): Typed => ({
  title: form.text("title"),
  description: form.lines("description"),
  due: form.text("due"),
});

function readInput({ title, description, due }: Typed) {
  return { title, description, dueAt: readDay(due, "due") };
}

/** How much of a milestone is done. */
function progress({ openIssues, closedIssues }: MilestoneRow): Html {
  const all = openIssues + closedIssues;
  return html`<progress class="wide" value="${closedIssues}" max="${Math.max(all, 1)}" aria-label="${closedIssues} of ${all} are done"></progress>
    <p class="meta"><span>${wholeNumber(openIssues)} open</span><span>${wholeNumber(closedIssues)} closed</span></p>`;
}

function facts(visit: Visit, { dueAt, closedAt }: MilestoneRow): Html {
  const isLate = dueAt !== null && closedAt === null && dueAt.getTime() < visit.now;
  return html`<p class="meta">${closedAt !== null && html`<span>closed ${ago(visit, closedAt)}</span>`}<span${isLate && html` class="red"`}>${icon(visit, "calendar")}${dueAt === null ? "No due date" : `${isLate ? "Was due" : "Due"} ${dayOf(visit, dueAt)}`}</span></p>`;
}

function formPage(
  visit: Visit,
  access: RepositoryAccess,
  at: { path: string; words: string },
  typed: Typed,
  refused: Refusal | null,
): Page {
  const base = `${repositoryLink(visit.root, access)}/milestones`;
  return {
    status: refused?.status ?? 200,
    title: `${at.words} · ${access.owner.name}/${access.repository.name}`,
    place: { tab: "issues" },
    body: html`<div class="stack"><h1>${at.words}</h1>${note(visit, "bad", problemAbove(refused, ["title", "description", "due"]))}
      <form class="stack" method="post" action="${base}/${at.path}">${visit.formField()}
      ${field(refused, { name: "title", label: "Title" }, (attributes) => html`<input type="text" ${attributes} value="${typed.title}" dir="auto" maxlength="${longestMilestoneTitle}" required>`)}
      ${field(refused, { name: "due", label: "Due date" }, (attributes) => html`<input class="auto" type="date" ${attributes} value="${typed.due}">`)}
      ${field(
        refused,
        { name: "description", label: "Description", hint: "Markdown" },
        (attributes) => html`<textarea ${attributes} dir="auto" maxlength="${longestMilestoneDescription}">
${typed.description}</textarea>`,
      )}
      <div class="line flow end"><a class="button" href="${base}">Cancel</a><button class="button main">Save</button></div></form></div>`,
  };
}

const newPlace = { path: "new", words: "New milestone" };
const editPlace = ({ id, title }: MilestoneRow) => ({ path: `${id}/edit`, words: `Edit ${title}` });
const listOf = (visit: Visit, access: RepositoryAccess) => `${repositoryLink(visit.root, access)}/milestones`;

/** The milestones of a repository. */
export function milestonePages(forge: Forge, page: DeclarePage): PageRoute[] {
  const { db } = forge.database;

  async function getMilestone(visit: Visit, access: RepositoryAccess): Promise<MilestoneRow> {
    const { id = "" } = visit.params;
    const found = readRowId(id) !== null ? await findMilestoneNamed(db, access.repository.id, id) : null;
    // The number in an address is an id, although a title may look like one.
    if (found === null || String(found.id) !== id) {
      throw new NotFound("milestone", id);
    }
    return found;
  }

  return [
    page("GET", "/:owner/:repo/milestones", reads, async ({ visit, repository: access }) => {
      const isClosed = visit.query.get("state") === "closed";
      const at = sliceOf(visit.query);
      const [shown, others] = await Promise.all([
        listMilestones(db, access.repository.id, { state: isClosed ? "closed" : "open", name: "" }, at),
        listMilestones(
          db,
          access.repository.id,
          { state: isClosed ? "open" : "closed", name: "" },
          { size: 1, offset: 0 },
        ),
      ]);
      const base = listOf(visit, access);
      const state = (closed: boolean, words: string) =>
        html`<a href="${base}${closed ? "?state=closed" : ""}"${closed === isClosed && html` aria-current="page"`}>${words} <span class="count">${wholeNumber((closed === isClosed ? shown : others).total)}</span></a>`;
      const rows = shown.rows.map(
        (row) =>
          html`<li><div class="grow stack s"><h2><a class="plain" dir="auto" href="${repositoryLink(visit.root, access)}/milestone/${row.id}">${row.title}</a></h2>${facts(visit, row)}</div><div class="done">${progress(row)}</div></li>`,
      );
      return {
        title: `Milestones · ${access.owner.name}/${access.repository.name}`,
        place: { tab: "issues" },
        body: html`<div class="stack"><div class="split flow"><h1>Milestones</h1><span class="line"><a class="button" href="${repositoryLink(visit.root, access)}/labels">${icon(visit, "tag")}Labels</a>${offers(visit, writes) && html`<a class="button main" href="${base}/new">New milestone</a>`}</span></div>
          <section class="panel edge" aria-label="Milestones"><header><nav class="segments" aria-label="State">${state(false, "Open")}${state(true, "Closed")}</nav></header>${rows.length === 0 ? empty(visit, "milestone", "No milestones here", "A milestone gathers the issues and pull requests that a date or a version waits for.") : html`<ul class="rows">${rows}</ul>`}</section>${pager(visit, base, visit.query, at, shown.total)}</div>`,
      };
    }),
    page("GET", "/:owner/:repo/milestones/new", writes, ({ visit, repository: access }) =>
      formPage(visit, access, newPlace, { title: "", description: "", due: "" }, null),
    ),
    page(
      "POST",
      "/:owner/:repo/milestones/new",
      { ...writes, longForm: true },
      ({ visit, doer, repository: access }) => {
        const typed = typedIn(visit.form);
        return tryForm(
          async () => {
            const input = readInput(typed);
            const row = await forge.change(doer, (work) => createMilestone(work, access, input));
            return new Redirect(`${repositoryLink(visit.root, access)}/milestone/${row.id}`);
          },
          (refused) => formPage(visit, access, newPlace, typed, refused),
        );
      },
    ),
    page("GET", "/:owner/:repo/milestone/:id", reads, async ({ visit, repository: access }) => {
      const row = await getMilestone(visit, access);
      const [about] = row.description === "" ? [] : await renderComments(forge, visit, access, [row.description]);
      const search = (isPull: boolean, state: "open" | "closed") =>
        issueSearchLink(visit.root, access, { isPull }, { state, milestone: row.title });
      const address = `${listOf(visit, access)}/${row.id}`;
      const acts = offers(visit, writes)
        ? html`<form class="line flow" method="post" action="${address}/state">${visit.formField()}<a class="button" href="${address}/edit">${icon(visit, "pencil")}Edit</a><button class="button" name="state" value="${row.closedAt === null ? "closed" : "open"}">${row.closedAt === null ? "Close" : "Reopen"}</button><button class="button danger" name="state" value="deleted">Delete</button></form>`
        : null;
      return {
        title: `${row.title} · ${access.owner.name}/${access.repository.name}`,
        place: { tab: "issues" },
        body: html`<div class="stack"><div class="split start"><h1 dir="auto">${row.title}</h1>${acts}</div>${facts(visit, row)}${progress(row)}${about !== undefined && html`<div class="document" dir="auto">${about}</div>`}
          <ul class="panel edge rows links"><li>${icon(visit, "circle-dot")}<a class="plain" href="${search(false, "open")}">Open issues</a></li><li>${icon(visit, "circle-check")}<a class="plain" href="${search(false, "closed")}">Closed issues</a></li><li>${icon(visit, "git-pull-request")}<a class="plain" href="${search(true, "open")}">Open pull requests</a></li><li>${icon(visit, "git-merge")}<a class="plain" href="${search(true, "closed")}">Closed pull requests</a></li></ul></div>`,
      };
    }),
    page("GET", "/:owner/:repo/milestones/:id/edit", writes, async ({ visit, repository: access }) => {
      const row = await getMilestone(visit, access);
      return formPage(
        visit,
        access,
        editPlace(row),
        { title: row.title, description: row.description, due: dayValue(row.dueAt) },
        null,
      );
    }),
    page(
      "POST",
      "/:owner/:repo/milestones/:id/edit",
      { ...writes, longForm: true },
      async ({ visit, doer, repository: access }) => {
        const row = await getMilestone(visit, access);
        const typed = typedIn(visit.form);
        return tryForm(
          async () => {
            const input = readInput(typed);
            await forge.change(doer, (work) => editMilestone(work, access, String(row.id), input));
            return new Redirect(`${repositoryLink(visit.root, access)}/milestone/${row.id}`);
          },
          (refused) => formPage(visit, access, editPlace(row), typed, refused),
        );
      },
    ),
    page("POST", "/:owner/:repo/milestones/:id/state", writes, async ({ visit, doer, repository: access }) => {
      const row = await getMilestone(visit, access);
      const state = visit.form.text("state");
      if (state === "deleted") {
        await forge.change(doer, (work) => deleteMilestone(work, access, String(row.id)));
        return new Redirect(listOf(visit, access), "The milestone is deleted. Its issues stay.");
      }
      await forge.change(doer, (work) => editMilestone(work, access, String(row.id), { closed: state === "closed" }));
      return new Redirect(`${repositoryLink(visit.root, access)}/milestone/${row.id}`);
    }),
  ];
}
