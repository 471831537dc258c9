import type { RepositoryAccess } from "../../auth/subject.ts";
import { findVisibleUser } from "../../domain/identity/social/queries.ts";
import { listEntitled } from "../../domain/repos/entitled-queries.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import type { IssueFilter, IssueOrderName } from "../../domain/work/issues/list-filter.ts";
import { listIssues } from "../../domain/work/issues/list-queries.ts";
import { listPinned } from "../../domain/work/issues/pin-queries.ts";
import { completeIssues, type FoundIssue } from "../../domain/work/issues/queries.ts";
import { listUsableLabels } from "../../domain/work/labels/queries.ts";
import { listMilestones } from "../../domain/work/milestones/queries.ts";
import { html, type Html } from "../html.ts";
import { issuesLink, repositoryLink } from "../links.ts";
import { offers } from "../offers.ts";
import { opensIssues, type DeclarePage, type PageRoute } from "../pages.ts";
import { icon } from "../parts/icon.ts";
import { labelDot } from "../parts/label.ts";
import { empty } from "../parts/note.ts";
import { pager, sliceOf } from "../parts/pager.ts";
import { shortNumber, wholeNumber } from "../parts/size.ts";
import type { Page } from "../respond.ts";
import type { Visit } from "../visit.ts";
import { everyOpenIssue, readIssueQuery, writeIssueQuery, type IssueQuery } from "./issue-query.ts";
import { issueRow } from "./issue-row.ts";

const orders: readonly (readonly [IssueOrderName, string])[] = [
  ["latest", "Newest"],
  ["oldest", "Oldest"],
  ["recentupdate", "Changed last"],
  ["leastupdate", "Changed first"],
  ["mostcomment", "Most comments"],
  ["leastcomment", "Fewest comments"],
  ["nearduedate", "Due first"],
  ["farduedate", "Due last"],
  ["relevance", "Best match"],
];

/** The most choices of one menu. The search box takes all others. */
const mostChoices = { size: 50, offset: 0 };

/** The filter of a search; null: it names a user of whom the visitor knows nothing, so nothing matches. */
async function filterOf(forge: Forge, visit: Visit, query: IssueQuery, isPull: boolean): Promise<IssueFilter | null> {
  const { author, assignee, mentions, reviewRequested, reviewedBy, labels, withoutLabels, milestone, text } = query;
  const names = [author, assignee, mentions, ...(isPull ? [reviewRequested, reviewedBy] : [])];
  const found = await Promise.all(
    names.map(async (name) =>
      name === null
        ? undefined
        : name === "@me"
          ? (visit.actor?.id ?? null)
          : ((await findVisibleUser(forge.database.db, visit, name))?.id ?? null),
    ),
  );
  if (found.includes(null)) {
    return null;
  }
  const [authorId, assigneeId, mentionedId, reviewRequestedId, reviewedById] = found as (number | undefined)[];
  return {
    kinds: [isPull],
    states: query.state === "all" ? [true, false] : [query.state === "open"],
    text: text === "" ? undefined : text,
    labels: labels.length === 0 ? undefined : labels,
    withoutLabels: withoutLabels.length === 0 ? undefined : withoutLabels,
    milestones: milestone === null ? undefined : [milestone],
    authorId,
    assigneeId,
    mentionedId,
    reviewRequestedId,
    reviewedById,
  };
}

interface Menu {
  readonly id: string;
  readonly name: string;
  readonly choices: readonly { readonly content: Html; readonly query: IssueQuery; readonly isChosen: boolean }[];
}

const toggled = (list: readonly string[], name: string): string[] =>
  list.includes(name) ? list.filter((one) => one !== name) : [...list, name];

async function menusOf(
  forge: Forge,
  visit: Visit,
  access: RepositoryAccess,
  query: IssueQuery,
): Promise<readonly Menu[]> {
  const { db } = forge.database;
  const [labels, milestones, assignees] = await Promise.all([
    listUsableLabels(db, access, mostChoices),
    listMilestones(db, access.repository.id, { state: "open", name: "" }, mostChoices),
    visit.actor === null ? [] : listEntitled(db, visit, access, ["issues", "pulls"], "write"),
  ]);
  return [
    {
      id: "label-menu",
      name: "Label",
      choices: labels.map((label) => ({
        content: html`${labelDot(label)}<span class="cut">${label.name}</span>`,
        query: { ...query, labels: toggled(query.labels, label.name) },
        isChosen: query.labels.includes(label.name),
      })),
    },
    {
      id: "milestone-menu",
      name: "Milestone",
      choices: milestones.rows.map(({ title }) => ({
        content: html`<span class="cut">${title}</span>`,
        query: { ...query, milestone: query.milestone === title ? null : title },
        isChosen: query.milestone === title,
      })),
    },
    {
      id: "assignee-menu",
      name: "Assignee",
      choices: assignees.slice(0, mostChoices.size).map(({ name }) => ({
        content: html`<span class="cut">${name}</span>`,
        query: { ...query, assignee: query.assignee === name ? null : name },
        isChosen: query.assignee === name,
      })),
    },
    {
      id: "sort-menu",
      name: "Sort",
      choices: orders
        .filter(([key]) => key !== "relevance" || query.text !== "")
        .map(([sort, words]) => ({
          content: html`${words}`,
          query: { ...query, sort },
          isChosen: query.sort === sort,
        })),
    },
  ];
}

function menu(visit: Visit, address: (query: IssueQuery) => string, { id, name, choices }: Menu): Html | null {
  return choices.length === 0
    ? null
    : html`<button type="button" class="button bare s" popovertarget="${id}">${name}${icon(visit, "chevron-down")}</button>
<div class="menu" id="${id}" popover>${choices.map(({ content, query, isChosen }) => html`<a href="${address(query)}"${isChosen ? html` aria-current="true"` : null}>${isChosen ? icon(visit, "check") : null}${content}</a>`)}</div>`;
}

/** Searches that people make often, as links. */
function quickSearches(
  visit: Visit,
  address: (query: IssueQuery) => string,
  query: IssueQuery,
  isPull: boolean,
): Html | null {
  if (visit.actor === null) {
    return null;
  }
  const me = { ...everyOpenIssue, sort: query.sort };
  const list = [
    { words: "Mine", icon: "circle-user", query: { ...me, author: "@me" } },
    { words: "Assigned to me", icon: "user", query: { ...me, assignee: "@me" } },
    { words: "Mentions me", icon: "at-sign", query: { ...me, mentions: "@me" } },
    ...(isPull
      ? ([{ words: "Waits for my review", icon: "eye", query: { ...me, reviewRequested: "@me" } }] as const)
      : []),
  ] as const;
  return html`<nav class="line flow" aria-label="Searches">${list.map((one) => html`<a class="tag" href="${address(one.query)}"${writeIssueQuery(one.query) === writeIssueQuery(query) ? html` aria-current="page"` : null}>${icon(visit, one.icon)}${one.words}</a>`)}</nav>`;
}

function nothing(visit: Visit, access: RepositoryAccess, query: IssueQuery, isPull: boolean): Html {
  const what = isPull ? "pull requests" : "issues";
  if (writeIssueQuery(query) !== writeIssueQuery(everyOpenIssue)) {
    return empty(
      visit,
      "search",
      `No ${what} match this search`,
      html`<a href="${issuesLink(visit.root, access, { isPull })}">Show all open ${what}</a>`,
    );
  }
  return isPull
    ? empty(
        visit,
        "git-pull-request",
        "No open pull requests",
        "Push a branch, and compare it with another one to propose it.",
      )
    : empty(
        visit,
        "circle-dot",
        "No open issues",
        "An issue is a bug, a wish or a question that the people here talk about.",
      );
}

async function listPage(forge: Forge, visit: Visit, access: RepositoryAccess, isPull: boolean): Promise<Page> {
  const { db } = forge.database;
  const query = readIssueQuery(visit.query.get("q") ?? (visit.query.get("state") === "closed" ? "is:closed" : ""));
  const base = issuesLink(visit.root, access, { isPull });
  const address = (to: IssueQuery) => `${base}?${new URLSearchParams({ q: writeIssueQuery(to) }).toString()}`;
  const at = sliceOf(visit.query);
  const place = { repositoryId: access.repository.id, ownerId: access.owner.id };
  const filter = await filterOf(forge, visit, query, isPull);
  const listed = (states: readonly boolean[], slice: { size: number; offset: number }) =>
    filter === null ? { rows: [], total: 0 } : listIssues(db, visit, place, { ...filter, states }, query.sort, slice);
  const isPlain = writeIssueQuery(query) === writeIssueQuery(everyOpenIssue) && at.number === 1;
  const [shown, other, menus, pinned] = await Promise.all([
    listed(filter?.states ?? [], at),
    query.state === "all" ? null : listed([query.state !== "open"], { size: 1, offset: 0 }),
    menusOf(forge, visit, access, query),
    isPlain ? listPinned(db, access.repository.id, isPull) : [],
  ]);
  const found = await completeIssues(db, visit, [...pinned, ...shown.rows]);
  const row = (one: FoundIssue) => issueRow(forge, visit, access, one);
  const [onTop, rows] = [found.slice(0, pinned.length).map(row), found.slice(pinned.length).map(row)];
  const counts =
    query.state === "closed"
      ? { open: other?.total, closed: shown.total }
      : { open: shown.total, closed: other?.total };
  const state = (key: "open" | "closed", words: string) =>
    html`<a href="${address({ ...query, state: key })}"${query.state === key ? html` aria-current="page"` : null}>${words}${query.state === "all" ? null : html` <span class="count">${shortNumber(counts[key] ?? 0)}</span>`}</a>`;
  const what = isPull ? "Pull requests" : "Issues";
  const repo = repositoryLink(visit.root, access);
  // Strangers are sent to sign in.
  const mayOpen =
    !isPull && (visit.actor === null ? access.repository.archivedAt === null : offers(visit, opensIssues));
  return {
    title: `${what} · ${access.owner.name}/${access.repository.name}`,
    place: { tab: isPull ? "pulls" : "issues" },
    sees: isPull ? "pulls" : "issues",
    body: html`<h1 class="sr">${what}</h1><div class="tools"><form class="seek grow" role="search" aria-label="${what}" action="${base}">${icon(visit, "search")}<input class="mono" type="search" name="q" value="${writeIssueQuery(query)}" aria-label="Search ${what.toLowerCase()}" spellcheck="false" autocomplete="off" maxlength="1000"></form>
      <a class="button" href="${repo}/labels">${icon(visit, "tag")}Labels</a><a class="button" href="${repo}/milestones">${icon(visit, "milestone")}Milestones</a>${mayOpen && html`<a class="button main" data-key="c" href="${base}/new/choose">New issue</a>`}</div>
      ${quickSearches(visit, address, query, isPull)}
      ${onTop.length > 0 && html`<section class="panel edge pinned" aria-labelledby="pinned"><div class="head">${icon(visit, "pin")}<h2 id="pinned">Pinned</h2></div><ul class="rows links issues">${onTop}</ul></section>`}
      <section class="panel edge list" id="list" data-live data-offer data-noun="${isPull ? "pull request" : "issue"}" aria-label="${wholeNumber(shown.total)} ${what.toLowerCase()}"><header><nav class="segments" aria-label="State">${state("open", "Open")}${state("closed", "Closed")}</nav><span class="grow"></span><span class="line flow not-narrow">${menus.map((one) => menu(visit, address, one))}</span></header>
      ${rows.length === 0 ? nothing(visit, access, query, isPull) : html`<ul class="rows links issues">${rows}</ul>`}</section>
      ${pager(visit, base, visit.query, at, shown.total)}`,
  };
}

/** The lists of a repository's issues and of its pull requests. */
export function issueListPages(forge: Forge, page: DeclarePage): PageRoute[] {
  return [
    page(
      "GET",
      "/:owner/:repo/issues",
      { may: { on: "repository", do: "read", unit: "issues" } },
      ({ visit, repository: access }) => listPage(forge, visit, access, false),
    ),
    page(
      "GET",
      "/:owner/:repo/pulls",
      { may: { on: "repository", do: "read", unit: "pulls" } },
      ({ visit, repository: access }) => listPage(forge, visit, access, true),
    ),
  ];
}
