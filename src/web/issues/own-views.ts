import type { Forge } from "../../domain/spine/forge.ts";
import { listIssues } from "../../domain/work/issues/list-queries.ts";
import type { IconName } from "../assets/icons.ts";
import type { Place } from "../frame/place.ts";
import { html, type Html } from "../html.ts";
import { icon } from "../parts/icon.ts";
import { shortNumber } from "../parts/size.ts";
import type { Visit } from "../visit.ts";
import { everyOpenIssue, writeIssueQuery, type IssueQuery } from "./issue-query.ts";
import { searchAddress, searchOf, type Listed } from "./listed.ts";

/** The place of the pages that list the visitor's work in all repositories. */
export function workPlace({ root }: Visit, tab: "issues" | "pulls" | "milestones"): Place {
  const list = [
    { key: "issues", name: "Issues", href: `${root}/issues` },
    { key: "pulls", name: "Pull requests", href: `${root}/pulls` },
    { key: "milestones", name: "Milestones", href: `${root}/milestones` },
  ];
  const href = list.find(({ key }) => key === tab)?.href ?? root;
  return { tab, tabs: { label: "Your work", list }, crumbs: [{ name: "Your work", href }] };
}

interface View {
  readonly words: string;
  readonly icon: IconName;
  readonly query: Partial<IssueQuery>;
}

const views: readonly View[] = [
  { words: "In your repositories", icon: "book", query: {} },
  { words: "Created by you", icon: "circle-user", query: { author: "@me" } },
  { words: "Assigned to you", icon: "user", query: { assignee: "@me" } },
  { words: "Mentioning you", icon: "at-sign", query: { mentions: "@me" } },
];
const ofPulls: readonly View[] = [
  { words: "Waiting for your review", icon: "eye", query: { reviewRequested: "@me" } },
  { words: "Reviewed by you", icon: "check", query: { reviewedBy: "@me" } },
];

/** The views of the visitor's own list, with the number of what is open in each. */
export async function ownViews(forge: Forge, visit: Visit, list: Listed, query: IssueQuery): Promise<Html> {
  const all = list.kinds.includes(true) ? [...ofPulls.slice(0, 1), ...views, ...ofPulls.slice(1)] : views;
  const counted = await Promise.all(
    all.map(async (view) => {
      const wanted = { ...everyOpenIssue, ...view.query };
      const search = await searchOf(forge, visit, list, wanted);
      const one = { size: 1, offset: 0 };
      const found =
        search === null ? null : await listIssues(forge.database.db, visit, search.place, search.filter, "latest", one);
      return { view, wanted, total: found?.total ?? 0 };
    }),
  );
  const links = counted.map(
    ({ view, wanted, total }) =>
      html`<a href="${searchAddress(list, wanted)}"${writeIssueQuery(wanted) === writeIssueQuery({ ...query, state: "open", sort: wanted.sort }) && html` aria-current="page"`}>${icon(visit, view.icon)}<span class="grow">${view.words}</span><span class="count">${shortNumber(total)}</span></a>`,
  );
  return html`<nav class="nav" aria-label="Views">${links}</nav>`;
}
