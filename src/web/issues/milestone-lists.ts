import type { OwnerRow, RepositoryAccess } from "../../auth/subject.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import {
  listMilestones,
  listMilestonesOfMany,
  type MilestoneFilter,
  type MilestoneOrder,
} from "../../domain/work/milestones/queries.ts";
import type { MilestoneRow } from "../../domain/work/issues/queries.ts";
import type { Place } from "../frame/place.ts";
import { html, type Html } from "../html.ts";
import { ownerLink, repositoryLink } from "../links.ts";
import { organizationPlace } from "../owners/organization.ts";
import { ownAccount, type DeclarePage, type PageRoute } from "../pages.ts";
import { icon } from "../parts/icon.ts";
import { empty } from "../parts/note.ts";
import { pager, sliceOf, type Slice } from "../parts/pager.ts";
import { changedQuery, choiceMenu, searchForm, type Choice } from "../parts/repository-search.ts";
import { wholeNumber } from "../parts/size.ts";
import type { Page } from "../respond.ts";
import type { Visit } from "../visit.ts";
import { milestoneFacts, progress } from "./milestone-parts.ts";
import { workPlace } from "./own-views.ts";

const orders: readonly Choice<MilestoneOrder>[] = [
  { key: "due", words: "Due first", value: "due" },
  { key: "due-last", words: "Due last", value: "due-last" },
  { key: "done", words: "Most complete", value: "done" },
  { key: "least-done", words: "Least complete", value: "least-done" },
  { key: "most", words: "Most issues", value: "most" },
  { key: "fewest", words: "Fewest issues", value: "fewest" },
  { key: "name", words: "By name", value: "name" },
];
const longestText = 100;

/** A milestone with the names of its repository; null: the list is of one repository. */
interface Row {
  readonly milestone: MilestoneRow;
  readonly home: { readonly owner: { readonly name: string }; readonly repository: { readonly name: string } } | null;
}

type Find = (
  filter: MilestoneFilter,
  at: Pick<Slice, "size" | "offset">,
  order: MilestoneOrder,
) => Promise<{ rows: readonly Row[]; total: number }>;

/** A list of milestones: `home` makes the address of their repository. */
async function milestoneList(visit: Visit, address: string, find: Find, base: (row: Row) => string): Promise<Html> {
  const { query } = visit;
  const isClosed = query.get("state") === "closed";
  const at = sliceOf(query);
  const name = (query.get("q") ?? "").trim().slice(0, longestText);
  const order = orders.find(({ key }) => key === query.get("sort"))?.value ?? "due";
  const [shown, others] = await Promise.all([
    find({ state: isClosed ? "closed" : "open", name }, at, order),
    find({ state: isClosed ? "open" : "closed", name }, { size: 1, offset: 0 }, order),
  ]);
  const state = (closed: boolean, words: string) =>
    html`<a href="${changedQuery(address, query, "state", closed ? "closed" : null)}"${closed === isClosed && html` aria-current="page"`}>${words} <span class="count">${wholeNumber((closed === isClosed ? shown : others).total)}</span></a>`;
  const rows = shown.rows.map((row) => {
    const { milestone, home } = row;
    const where =
      home !== null && html`<a class="plain soft" href="${base(row)}">${home.owner.name}/${home.repository.name}</a>`;
    return html`<li><div class="grow stack s"><h2><a class="plain" dir="auto" href="${base(row)}/milestone/${milestone.id}">${milestone.title}</a></h2><div class="line flow">${where}${milestoneFacts(visit, milestone)}</div></div><div class="done">${progress(milestone)}</div></li>`;
  });
  const sort = choiceMenu(visit, { address, query }, { name: "sort", label: "Order" }, orders, "due");
  return html`${searchForm(visit, { address, query, words: "Find a milestone", kept: ["state", "sort"] }, sort)}
    <section class="panel edge" aria-label="Milestones"><header><nav class="segments" aria-label="State">${state(false, "Open")}${state(true, "Closed")}</nav></header>${rows.length === 0 ? empty(visit, "milestone", "No milestones here", "A milestone gathers the issues and pull requests that a date or a version waits for.") : html`<ul class="rows links">${rows}</ul>`}</section>${pager(visit, address, query, at, shown.total)}`;
}

/** The milestones of a repository. `writes`: the visitor may make one. */
export async function repositoryMilestones(
  forge: Forge,
  visit: Visit,
  access: RepositoryAccess,
  writes: boolean,
): Promise<Page> {
  const { db } = forge.database;
  const repo = repositoryLink(visit.root, access);
  const list = await milestoneList(
    visit,
    `${repo}/milestones`,
    async (filter, at, order) => {
      const { rows, total } = await listMilestones(db, access.repository.id, filter, at, order);
      return { rows: rows.map((milestone) => ({ milestone, home: null })), total };
    },
    () => repo,
  );
  return {
    title: `Milestones · ${access.owner.name}/${access.repository.name}`,
    place: { tab: "issues" },
    body: html`<div class="stack"><div class="split flow"><h1>Milestones</h1><span class="line"><a class="button" href="${repo}/labels">${icon(visit, "tag")}Labels</a>${writes && html`<a class="button main" href="${repo}/milestones/new">New milestone</a>`}</span></div>${list}</div>`,
  };
}

/** The lists of milestones over several repositories. */
export function milestoneListPages(forge: Forge, page: DeclarePage): PageRoute[] {
  async function ofMany(visit: Visit, organization: OwnerRow | null, address: string, place: Place): Promise<Page> {
    const title = organization === null ? "Your milestones" : `Milestones of ${organization.name}`;
    const whose = { ownerId: organization?.id ?? null };
    const list = await milestoneList(
      visit,
      address,
      async (filter, at, order) => {
        const { rows, total } = await listMilestonesOfMany(forge.database.db, visit, whose, filter, at, order);
        return { rows: rows.map(({ milestone, ...home }) => ({ milestone, home })), total };
      },
      ({ home }) => (home === null ? "" : repositoryLink(visit.root, home)),
    );
    return { title, place, body: html`<div class="stack"><h1 class="sr">${title}</h1>${list}</div>` };
  }
  return [
    page("GET", "/milestones", ownAccount, ({ visit }) =>
      ofMany(visit, null, `${visit.root}/milestones`, workPlace(visit, "milestones")),
    ),
    page("GET", "/org/:owner/milestones", { may: { on: "organization", do: "see" } }, ({ visit, owner: access }) =>
      ofMany(
        visit,
        access.owner,
        `${ownerLink(`${visit.root}/org`, access.owner.name)}/milestones`,
        organizationPlace(visit, access, "milestones"),
      ),
    ),
  ];
}
