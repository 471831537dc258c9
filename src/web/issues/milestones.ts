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
import { findMilestoneNamed } from "../../domain/work/milestones/queries.ts";
import type { Refusal } from "../errors.ts";
import type { Form } from "../form.ts";
import { html } from "../html.ts";
import { repositoryLink } from "../links.ts";
import { offers } from "../offers.ts";
import type { DeclarePage, PageRoute } from "../pages.ts";
import { field, problemAbove } from "../parts/field.ts";
import { note } from "../parts/note.ts";
import { Redirect, type Page } from "../respond.ts";
import { tryForm } from "../try-form.ts";
import type { Visit } from "../visit.ts";
import { dayValue, readDay } from "./read-day.ts";
import { readRowId } from "../read-row-id.ts";
import { filterPage } from "./list-filters.ts";
import { ofMilestone } from "./listed.ts";
import { milestoneListPages, repositoryMilestones } from "./milestone-lists.ts";
import { milestonePage } from "./milestone-page.ts";
import { readsIssues, writesIssues } from "./specs.ts";

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
    ...milestoneListPages(forge, page),
    page("GET", "/:owner/:repo/milestones", readsIssues, ({ visit, repository: access }) =>
      repositoryMilestones(forge, visit, access, offers(visit, writesIssues)),
    ),
    page("GET", "/:owner/:repo/milestones/new", writesIssues, ({ visit, repository: access }) =>
      formPage(visit, access, newPlace, { title: "", description: "", due: "" }, null),
    ),
    page(
      "POST",
      "/:owner/:repo/milestones/new",
      { ...writesIssues, longForm: true },
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
    page("GET", "/:owner/:repo/milestone/:id", readsIssues, async ({ visit, repository: access }) =>
      milestonePage(forge, visit, access, await getMilestone(visit, access), offers(visit, writesIssues)),
    ),
    page("GET", "/:owner/:repo/milestone/:id/filter", readsIssues, async ({ visit, repository: access }) =>
      filterPage(forge, visit, ofMilestone(visit, access, await getMilestone(visit, access)), { tab: "issues" }),
    ),
    page("GET", "/:owner/:repo/milestones/:id/edit", writesIssues, async ({ visit, repository: access }) => {
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
      { ...writesIssues, longForm: true },
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
    page("POST", "/:owner/:repo/milestones/:id/state", writesIssues, async ({ visit, doer, repository: access }) => {
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
