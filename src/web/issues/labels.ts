import type { LabelPlace } from "../../domain/work/labels/edit-label.ts";
import { listLabelTemplates } from "../../domain/repos/label-templates.ts";
import type { UserDoer } from "../../domain/spine/doer.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import type { LabelRow } from "../../domain/work/issues/queries.ts";
import {
  createLabel,
  deleteLabel,
  editLabel,
  loadLabelSet,
  longestLabelDescription,
  longestLabelName,
} from "../../domain/work/labels/edit-label.ts";
import { countLabelled, listLabels, type LabelHolder, type LabelOrder } from "../../domain/work/labels/queries.ts";
import type { Refusal } from "../errors.ts";
import type { Form } from "../form.ts";
import type { Place } from "../frame/place.ts";
import { html, type Html } from "../html.ts";
import { ownerLink, repositoryLink } from "../links.ts";
import { offers } from "../offers.ts";
import { organizationPlace } from "../owners/organization.ts";
import type { DeclarePage, PageRoute } from "../pages.ts";
import { icon } from "../parts/icon.ts";
import { labelTag } from "../parts/label.ts";
import { empty, note } from "../parts/note.ts";
import { pager, sliceOf } from "../parts/pager.ts";
import { choiceMenu, searchForm, type Choice } from "../parts/repository-search.ts";
import { counted, wholeNumber } from "../parts/size.ts";
import { readRowId } from "../read-row-id.ts";
import { Redirect, type Page } from "../respond.ts";
import { tryForm } from "../try-form.ts";
import type { Visit } from "../visit.ts";
import { everyOpenIssue, writeIssueQuery } from "./issue-query.ts";
import { readsIssues, writesIssues } from "./specs.ts";

const manages = { may: { on: "organization", do: "manage" }, signedIn: true } as const;
const usualColour = "#1f5fd0";
const labelsPerPage = 100;
const longestText = 100;

const orders: readonly Choice<LabelOrder>[] = [
  { key: "name", words: "By name", value: "name" },
  { key: "name-last", words: "By name, last first", value: "name-last" },
  { key: "most", words: "Most issues", value: "most" },
  { key: "fewest", words: "Fewest issues", value: "fewest" },
];

/** The labels of a repository, or of an organization for all of its repositories: where they are, and who may change them. */
interface Labels {
  readonly base: string;
  readonly title: string;
  readonly place: Place;
  readonly holder: LabelPlace;
  readonly mayWrite: boolean;
  /** The address of the list that is searched for a label. */
  readonly issues: string;
  /** What stands beside the title. */
  readonly beside: Html | null;
}

/** The fields of a label; `id` keeps those of several forms apart. */
function labelFields(id: string, label: Pick<LabelRow, "name" | "color" | "description" | "exclusive">): Html {
  return html`<div class="label-fields"><div class="field"><label for="name-${id}">Name</label><input type="text" id="name-${id}" name="name" value="${label.name}" maxlength="${longestLabelName}" dir="auto" required></div>
    <div class="field"><label for="color-${id}">Colour</label><input type="color" id="color-${id}" name="color" value="${label.color}"></div>
    <div class="field grow"><label for="description-${id}">Description</label><input type="text" id="description-${id}" name="description" value="${label.description}" maxlength="${longestLabelDescription}" dir="auto"></div></div>
    <label class="choice"><input type="checkbox" name="exclusive" value="1"${label.exclusive && html` checked`}> Exclusive: an issue has one label of those that begin alike, up to the slash</label>`;
}

function labelItem(
  visit: Visit,
  { base, issues, mayWrite }: Labels,
  label: LabelRow,
  { open, all }: { open: number; all: number },
): Html {
  const q = writeIssueQuery({ ...everyOpenIssue, labels: [label.name] });
  const search = `${issues}?${new URLSearchParams({ q }).toString()}`;
  const isArchived = label.archivedAt !== null;
  const form =
    mayWrite &&
    html`<details class="change"><summary><span class="button s bare">${icon(visit, "pencil")}Edit<span class="sr"> ${label.name}</span></span></summary><form class="stack s" method="post" action="${base}/${label.id}">${visit.formField()}${labelFields(String(label.id), { ...label, color: `#${label.color}` })}<div class="line flow"><button class="button s main">Save</button><button class="button s" name="archived" value="${isArchived ? "0" : "1"}">${isArchived ? "Use again" : "Archive"}</button><details class="change"><summary><span class="button s danger">Delete…</span></summary><div class="stack s"><p>${all === 0 ? "No issue has it." : `${counted(all, "issue or pull request loses", "issues and pull requests lose")} it.`}</p><button class="button s danger" name="delete" value="1" formnovalidate>Delete ${label.name}</button></div></details></div></form></details>`;
  return html`<li><div class="grow stack s"><div class="line flow">${labelTag(label, search)}${isArchived && html`<span class="tag amber">archived</span>`}${label.exclusive && html`<span class="tag">exclusive</span>`}<span class="soft" dir="auto">${label.description}</span><span class="grow"></span><span class="num soft">${wholeNumber(open)} open<span class="sr">, ${wholeNumber(all)} in all</span></span></div>${form}</div></li>`;
}

const typedIn = (form: Form) => ({
  name: form.text("name"),
  color: form.text("color"),
  description: form.text("description"),
  exclusive: form.text("exclusive") !== "",
});

const holderOf = ({ owner, repository }: LabelPlace): LabelHolder =>
  repository === null ? { ownerId: owner.id } : { repositoryId: repository.id };

function ofRepository(visit: Visit): Labels {
  const access = visit.repository;
  if (access === null) {
    throw new Error("The page of a repository has none");
  }
  const repo = repositoryLink(visit.root, access);
  return {
    base: `${repo}/labels`,
    title: `Labels · ${access.owner.name}/${access.repository.name}`,
    place: { tab: "issues" },
    holder: access,
    mayWrite: offers(visit, writesIssues),
    issues: `${repo}/issues`,
    beside: html`<a class="button" href="${repo}/milestones">${icon(visit, "milestone")}Milestones</a>`,
  };
}

/** The labels of repositories and of organizations. */
export function labelPages(forge: Forge, page: DeclarePage): PageRoute[] {
  const { db } = forge.database;

  async function list(visit: Visit, labels: Labels, refused: Refusal | null): Promise<Page> {
    const { base, title, place, holder, mayWrite, beside } = labels;
    const { query } = visit;
    const at = sliceOf(query, labelsPerPage);
    const text = (query.get("q") ?? "").trim().slice(0, longestText);
    const order = orders.find(({ key }) => key === query.get("sort"))?.value ?? "name";
    const { rows, total } = await listLabels(db, holderOf(holder), at, { text, order });
    const counted = await countLabelled(
      db,
      rows.map(({ id }) => id),
    );
    const typed = typedIn(visit.form);
    const items = rows.map((label) => labelItem(visit, labels, label, counted.get(label.id) ?? { open: 0, all: 0 }));
    const sets =
      mayWrite &&
      html`<form class="line flow" method="post" action="${base}/set">${visit.formField()}<label for="label-set">Add a set</label><select class="auto" id="label-set" name="set">${listLabelTemplates().map((name) => html`<option>${name}</option>`)}</select><button class="button">Add</button></form>`;
    const sort = choiceMenu(visit, { address: base, query }, { name: "sort", label: "Order" }, orders, "name");
    return {
      status: refused?.status ?? 200,
      title,
      place,
      body: html`<div class="stack"><div class="split flow"><h1>Labels</h1>${beside}</div>${note(visit, "bad", refused === null ? null : `${refused.message}.`)}
        ${mayWrite && html`<details class="panel new"${refused !== null && typed.name !== "" && html` open`}><summary><span class="button">${icon(visit, "plus")}New label</span></summary><div class="body stack"><form class="stack s" method="post" action="${base}">${visit.formField()}${labelFields("new", { ...typed, color: typed.color || usualColour })}<div><button class="button main">Create the label</button></div></form>${sets}</div></details>`}
        ${searchForm(visit, { address: base, query, words: "Find a label", kept: ["sort"] }, sort)}
        <section class="panel edge" aria-label="${wholeNumber(total)} labels">${rows.length === 0 ? empty(visit, "tag", "No labels", "Labels sort issues and pull requests.") : html`<ul class="rows labels">${items}</ul>`}</section>${pager(visit, base, query, at, total)}</div>`,
    };
  }

  const orRefused = (visit: Visit, labels: Labels, act: () => Promise<string>) =>
    tryForm(
      async () => new Redirect(labels.base, await act()),
      (refused) => list(visit, labels, refused),
    );

  const create = (visit: Visit, doer: UserDoer, labels: Labels) =>
    orRefused(visit, labels, async () => {
      await forge.change(doer, (work) => createLabel(work, labels.holder, typedIn(visit.form)));
      return "The label is created.";
    });

  const load = (visit: Visit, doer: UserDoer, labels: Labels) =>
    orRefused(visit, labels, async () => {
      const added = await forge.change(doer, (work) => loadLabelSet(work, labels.holder, visit.form.text("set")));
      return added === 0 ? "All labels of the set are there." : `${added} labels are added.`;
    });

  const edit = (visit: Visit, doer: UserDoer, labels: Labels) =>
    orRefused(visit, labels, async () => {
      const { form } = visit;
      const id = readRowId(visit.params["id"] ?? "") ?? 0;
      if (form.text("delete") !== "") {
        await forge.change(doer, (work) => deleteLabel(work, labels.holder, id));
        return "The label is deleted.";
      }
      const isArchived = form.has("archived") ? form.text("archived") === "1" : undefined;
      await forge.change(doer, (work) => editLabel(work, labels.holder, id, { ...typedIn(form), isArchived }));
      return "The label is changed.";
    });

  const ofOrganization = (visit: Visit): Labels => {
    const access = visit.owner;
    if (access === null) {
      throw new Error("The page of an organization has none");
    }
    const below = ownerLink(`${visit.root}/org`, access.owner.name);
    return {
      base: `${below}/settings/labels`,
      title: `Labels of ${access.owner.name}`,
      place: organizationPlace(visit, access, "settings"),
      holder: { owner: access.owner, repository: null },
      mayWrite: offers(visit, manages),
      issues: `${below}/issues`,
      beside: html`<span class="soft">For all repositories of ${access.owner.name}</span>`,
    };
  };

  const ofRepositories = "/:owner/:repo/labels";
  const ofOrganizations = "/org/:owner/settings/labels";
  return [
    page("GET", ofRepositories, readsIssues, ({ visit }) => list(visit, ofRepository(visit), null)),
    page("POST", ofRepositories, writesIssues, ({ visit, doer }) => create(visit, doer, ofRepository(visit))),
    page("POST", `${ofRepositories}/set`, writesIssues, ({ visit, doer }) => load(visit, doer, ofRepository(visit))),
    page("POST", `${ofRepositories}/:id`, writesIssues, ({ visit, doer }) => edit(visit, doer, ofRepository(visit))),
    page("GET", ofOrganizations, manages, ({ visit }) => list(visit, ofOrganization(visit), null)),
    page("POST", ofOrganizations, manages, ({ visit, doer }) => create(visit, doer, ofOrganization(visit))),
    page("POST", `${ofOrganizations}/set`, manages, ({ visit, doer }) => load(visit, doer, ofOrganization(visit))),
    page("POST", `${ofOrganizations}/:id`, manages, ({ visit, doer }) => edit(visit, doer, ofOrganization(visit))),
  ];
}
