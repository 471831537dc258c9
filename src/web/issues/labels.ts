import type { RepositoryAccess } from "../../auth/subject.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import type { LabelRow } from "../../domain/work/issues/queries.ts";
import {
  createLabel,
  deleteLabel,
  editLabel,
  longestLabelDescription,
  longestLabelName,
} from "../../domain/work/labels/edit-label.ts";
import { listLabels } from "../../domain/work/labels/queries.ts";
import type { Refusal } from "../errors.ts";
import type { Form } from "../form.ts";
import { html, type Html } from "../html.ts";
import { repositoryLink } from "../links.ts";
import { offers } from "../offers.ts";
import type { DeclarePage, PageRoute } from "../pages.ts";
import { icon } from "../parts/icon.ts";
import { labelTag } from "../parts/label.ts";
import { empty, note } from "../parts/note.ts";
import { pager, sliceOf } from "../parts/pager.ts";
import { Redirect, type Page } from "../respond.ts";
import { tryForm } from "../try-form.ts";
import type { Visit } from "../visit.ts";
import { issueSearchLink } from "./search-link.ts";
import { readRowId } from "../read-row-id.ts";

const writes = { may: { on: "repository", do: "write", unit: "issues-or-pulls" }, signedIn: true } as const;
const usualColour = "#1f5fd0";

/** The fields of a label; `id` keeps those of several forms apart. */
function labelFields(id: string, label: Pick<LabelRow, "name" | "color" | "description" | "exclusive">): Html {
  return html`<div class="label-fields"><div class="field"><label for="name-${id}">Name</label><input type="text" id="name-${id}" name="name" value="${label.name}" maxlength="${longestLabelName}" dir="auto" required></div>
    <div class="field"><label for="color-${id}">Colour</label><input type="color" id="color-${id}" name="color" value="${label.color}"></div>
    <div class="field grow"><label for="description-${id}">Description</label><input type="text" id="description-${id}" name="description" value="${label.description}" maxlength="${longestLabelDescription}" dir="auto"></div></div>
    <label class="choice"><input type="checkbox" name="exclusive" value="1"${label.exclusive && html` checked`}> Exclusive: an issue has one label of those that begin alike, up to the slash</label>`;
}

function labelItem(visit: Visit, access: RepositoryAccess, label: LabelRow, mayWrite: boolean): Html {
  const search = issueSearchLink(visit.root, access, { isPull: false }, { labels: [label.name] });
  const address = `${repositoryLink(visit.root, access)}/labels/${label.id}`;
  const form = mayWrite
    ? html`<details class="change"><summary><span class="button s bare">${icon(visit, "pencil")}Edit<span class="sr"> ${label.name}</span></span></summary><form class="stack s" method="post" action="${address}">${visit.formField()}${labelFields(String(label.id), { ...label, color: `#${label.color}` })}<div class="line flow"><button class="button s main">Save</button><button class="button s" name="archived" value="${label.archivedAt === null ? "1" : "0"}">${label.archivedAt === null ? "Archive" : "Use again"}</button><button class="button s danger" name="delete" value="1" formnovalidate>Delete</button></div></form></details>`
    : null;
  return html`<li><div class="grow stack s"><div class="line flow">${labelTag(label, search)}${label.archivedAt !== null && html`<span class="tag amber">archived</span>`}<span class="soft" dir="auto">${label.description}</span></div>${form}</div></li>`;
}

const typedIn = (form: Form) => ({
  name: form.text("name"),
  color: form.text("color"),
  description: form.text("description"),
  exclusive: form.text("exclusive") !== "",
});

const back = (visit: Visit, access: RepositoryAccess, said: string) =>
  new Redirect(`${repositoryLink(visit.root, access)}/labels`, said);

/** The labels of a repository. */
export function labelPages(forge: Forge, page: DeclarePage): PageRoute[] {
  async function list(visit: Visit, access: RepositoryAccess, refused: Refusal | null): Promise<Page> {
    const at = sliceOf(visit.query, 100);
    const { rows, total } = await listLabels(forge.database.db, { repositoryId: access.repository.id }, at);
    const mayWrite = offers(visit, writes);
    const base = `${repositoryLink(visit.root, access)}/labels`;
    const typed = typedIn(visit.form);
    return {
      status: refused?.status ?? 200,
      title: `Labels · ${access.owner.name}/${access.repository.name}`,
      place: { tab: "issues" },
      body: html`<div class="stack"><div class="split"><h1>Labels</h1><a class="button" href="${repositoryLink(visit.root, access)}/milestones">${icon(visit, "milestone")}Milestones</a></div>${note(visit, "bad", refused === null ? null : `${refused.message}.`)}
        ${mayWrite && html`<details class="panel new"${refused !== null && html` open`}><summary><span class="button">${icon(visit, "plus")}New label</span></summary><form class="stack s body" method="post" action="${base}">${visit.formField()}${labelFields("new", { ...typed, color: typed.color || usualColour })}<div><button class="button main">Create the label</button></div></form></details>`}
        <section class="panel edge" aria-label="Labels">${rows.length === 0 ? empty(visit, "tag", "No labels", "Labels sort issues and pull requests.") : html`<ul class="rows labels">${rows.map((label) => labelItem(visit, access, label, mayWrite))}</ul>`}</section>${pager(visit, base, visit.query, at, total)}</div>`,
    };
  }

  const orRefused = (visit: Visit, access: RepositoryAccess, act: () => Promise<Redirect>) =>
    tryForm(act, (refused) => list(visit, access, refused));

  return [
    page(
      "GET",
      "/:owner/:repo/labels",
      { may: { on: "repository", do: "read", unit: "issues-or-pulls" } },
      ({ visit, repository: access }) => list(visit, access, null),
    ),
    page("POST", "/:owner/:repo/labels", writes, ({ visit, doer, repository: access }) =>
      orRefused(visit, access, async () => {
        await forge.change(doer, (work) => createLabel(work, access, typedIn(visit.form)));
        return back(visit, access, "The label is created.");
      }),
    ),
    page("POST", "/:owner/:repo/labels/:id", writes, ({ visit, doer, repository: access }) =>
      orRefused(visit, access, async () => {
        const { form } = visit;
        const id = readRowId(visit.params["id"] ?? "") ?? 0;
        if (form.text("delete") !== "") {
          await forge.change(doer, (work) => deleteLabel(work, access, id));
          return back(visit, access, "The label is deleted.");
        }
        const label = {
          ...typedIn(form),
          isArchived: form.has("archived") ? form.text("archived") === "1" : undefined,
        };
        await forge.change(doer, (work) => editLabel(work, access, id, label));
        return back(visit, access, "The label is changed.");
      }),
    ),
  ];
}
