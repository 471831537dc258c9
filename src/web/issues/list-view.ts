import { findVisibleRepositories } from "../../domain/repos/forks/queries.ts";
import type { RepositoryAccess } from "../../auth/subject.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { listIssues } from "../../domain/work/issues/list-queries.ts";
import { listPinned } from "../../domain/work/issues/pin-queries.ts";
import { completeIssues, type FoundIssue, type IssueRow } from "../../domain/work/issues/queries.ts";
import { listSavedSearches, type FoundSearch } from "../../domain/work/issues/saved-search-queries.ts";
import type { Refusal } from "../errors.ts";
import { html, type Html } from "../html.ts";
import { offers } from "../offers.ts";
import { icon } from "../parts/icon.ts";
import { empty, note } from "../parts/note.ts";
import { pager, sliceOf, type Slice } from "../parts/pager.ts";
import { shortNumber, wholeNumber } from "../parts/size.ts";
import type { Visit } from "../visit.ts";
import { batchForm, batchMark, batchSpecs, loadBatchChoices, unitOf, type BatchChoices } from "./batch-form.ts";
import { everyOpenIssue, writeIssueQuery, type IssueQuery } from "./issue-query.ts";
import { issueRow } from "./issue-row.ts";
import { filterMenus } from "./list-filters.ts";
import { searchAddress, searchOf, wordsOf, type Listed } from "./listed.ts";
import { pinnedPanel } from "./pinned.ts";
import { loadPullFacts, pullFacts, type PullFacts } from "./pull-facts.ts";
import { savedSearches, searchedList } from "./searches.ts";

/** What a form of the page said that is shown again. */
export interface Answer {
  /** Why a search was not saved. */
  readonly search: Refusal | null;
  /** Of which issues a change was refused, and why. */
  readonly batch: readonly { readonly number: number; readonly message: string }[];
  readonly marked: readonly string[];
  /** What was wrong with the whole form. */
  readonly problem: string | null;
}
export const noAnswer: Answer = { search: null, batch: [], marked: [], problem: null };

interface Loaded {
  readonly query: IssueQuery;
  readonly at: Slice;
  readonly rows: readonly FoundIssue[];
  readonly total: number;
  /** Those of the other state; null: both are shown. */
  readonly others: number | null;
  readonly pinned: readonly FoundIssue[];
  /** Those that wait for the visitor's review. */
  readonly awaited: readonly FoundIssue[];
  readonly homes: ReadonlyMap<number, RepositoryAccess>;
  readonly pulls: ReadonlyMap<number, PullFacts>;
  readonly saved: readonly FoundSearch[];
  /** null: the visitor may not change several at once. */
  readonly batch: BatchChoices | null;
}

const noRows = { rows: [] as IssueRow[], total: 0 };
const mostAwaited = { size: 10, offset: 0 };

/** Reads what the page of a list shows. */
async function load(forge: Forge, visit: Visit, list: Listed, query: IssueQuery): Promise<Loaded> {
  const { db } = forge.database;
  const { access, kinds, milestone } = list;
  const at = sliceOf(visit.query);
  const isPlain = writeIssueQuery(query) === writeIssueQuery(everyOpenIssue) && at.number === 1;
  const isOfOneKind = access !== null && milestone === null;
  const search = await searchOf(forge, visit, list, query);
  const listed = (states: readonly boolean[], slice: { size: number; offset: number }) =>
    search === null ? noRows : listIssues(db, visit, search.place, { ...search.filter, states }, query.sort, slice);
  const me = visit.actor?.id;
  const awaitsMe = async () => {
    const mine = await searchOf(forge, visit, list, { ...everyOpenIssue, reviewRequested: "@me" });
    return mine === null ? noRows : listIssues(db, visit, mine.place, mine.filter, "oldest", mostAwaited);
  };
  const [shown, other, pinned, awaited, saved, batch] = await Promise.all([
    listed(search?.filter.states ?? [], at),
    query.state === "all" ? null : listed([query.state !== "open"], { size: 1, offset: 0 }),
    isPlain && isOfOneKind ? listPinned(db, access.repository.id, kinds[0] === true) : [],
    isPlain && isOfOneKind && me !== undefined && kinds[0] === true ? awaitsMe() : noRows,
    me === undefined || milestone !== null ? [] : listSavedSearches(db, visit, me, searchedList(list)),
    access !== null && milestone === null && offers(visit, batchSpecs[unitOf(list)])
      ? loadBatchChoices(forge, visit, access)
      : null,
  ]);
  const rows = [...pinned, ...awaited.rows, ...shown.rows];
  const homes =
    access === null
      ? await findVisibleRepositories(db, visit, [...new Set(rows.map(({ repositoryId }) => repositoryId))])
      : new Map([[access.repository.id, access]]);
  const [found, pulls] = await Promise.all([completeIssues(db, visit, rows), loadPullFacts(forge, rows, homes)]);
  const [ofPinned, ofAwaited] = [pinned.length, pinned.length + awaited.rows.length];
  return {
    query,
    at,
    rows: found.slice(ofAwaited),
    total: shown.total,
    others: other?.total ?? null,
    pinned: found.slice(0, ofPinned),
    awaited: found.slice(ofPinned, ofAwaited),
    homes,
    pulls,
    saved,
    batch,
  };
}

/** Searches of a repository's list that people make often, as links. */
function quickSearches(visit: Visit, list: Listed, query: IssueQuery, saved: Html | null): Html | null {
  if (visit.actor === null) {
    return null;
  }
  const me = { ...everyOpenIssue, sort: query.sort };
  const own = [
    { words: "Mine", icon: "circle-user", query: { ...me, author: "@me" } },
    { words: "Assigned to me", icon: "user", query: { ...me, assignee: "@me" } },
    { words: "Mentions me", icon: "at-sign", query: { ...me, mentions: "@me" } },
    ...(list.kinds.includes(true)
      ? ([{ words: "Waits for my review", icon: "eye", query: { ...me, reviewRequested: "@me" } }] as const)
      : []),
  ] as const;
  const links =
    list.access === null
      ? null
      : own.map(
          (one) =>
            html`<a class="tag" href="${searchAddress(list, one.query)}"${writeIssueQuery(one.query) === writeIssueQuery(query) && html` aria-current="page"`}>${icon(visit, one.icon)}${one.words}</a>`,
        );
  return html`<nav class="line flow searches" aria-label="Searches">${links}${saved}</nav>`;
}

function nothing(visit: Visit, list: Listed, query: IssueQuery): Html {
  const what = wordsOf(list);
  if (writeIssueQuery(query) !== writeIssueQuery(everyOpenIssue)) {
    const all = html`<a href="${searchAddress(list, everyOpenIssue)}">Show all open ${what}</a>`;
    return empty(visit, "search", `No ${what} match this search`, all);
  }
  return list.kinds[0] === true
    ? empty(
        visit,
        "git-pull-request",
        "No open pull requests",
        "Push a branch, and compare it with another one to propose it.",
      )
    : empty(
        visit,
        "circle-dot",
        `No open ${what}`,
        "An issue is a bug, a wish or a question that the people here talk about.",
      );
}

/** The box that a list is searched with. The script completes what is typed from the pages of the filters. */
function queryBox(visit: Visit, list: Listed, query: IssueQuery): Html {
  const what = wordsOf(list);
  return html`<query-box class="seek grow" data-filters="${list.base}/filter"><form role="search" aria-label="${what}" action="${list.base}">${icon(visit, "search")}<input class="mono" type="search" name="q" value="${writeIssueQuery(query)}" aria-label="Search ${what}" spellcheck="false" autocomplete="off" autocapitalize="off" maxlength="1000"></form></query-box>`;
}

function unknownNote(visit: Visit, { unknown }: IssueQuery): Html | null {
  return unknown.length === 0
    ? null
    : note(
        visit,
        "warn",
        html`${unknown.length === 1 ? "This is no filter, so it is searched for as a word" : "These are no filters, so they are searched for as words"}: ${unknown.slice(0, 5).map((word) => html`<code>${word}</code> `)}`,
      );
}

/**
 * The parts of the page of a list: the box, the searches and the panels. `tools` stands beside the box.
 */
export async function issueList(
  forge: Forge,
  visit: Visit,
  list: Listed,
  query: IssueQuery,
  tools: Html | null,
  answer: Answer = noAnswer,
): Promise<Html> {
  const loaded = await load(forge, visit, list, query);
  const { access, base } = list;
  const what = wordsOf(list);
  const isLive = access !== null && list.milestone === null;
  const labelled = (name: string) => searchAddress(list, { ...everyOpenIssue, labels: [name] });
  const row = (found: FoundIssue, marks: boolean) => {
    const home = loaded.homes.get(found.issue.repositoryId);
    const facts = loaded.pulls.get(found.issue.id);
    return home === undefined
      ? null
      : issueRow(forge, visit, home, found, {
          labelled,
          isOfMany: access === null,
          mark: marks && loaded.batch !== null ? batchMark(found.issue, answer.marked) : null,
          facts: facts === undefined ? null : pullFacts(visit, found.issue.closedAt === null, facts),
        });
  };
  const shown = loaded.rows.map((found) => row(found, true));
  const counts =
    query.state === "closed"
      ? { open: loaded.others, closed: loaded.total }
      : { open: loaded.total, closed: loaded.others };
  const state = (key: "open" | "closed", words: string) =>
    html`<a href="${searchAddress(list, { ...query, state: key })}"${query.state === key && html` aria-current="page"`}>${words}${query.state !== "all" && html` <span class="count">${shortNumber(counts[key] ?? 0)}</span>`}</a>`;
  const refused =
    answer.batch.length > 0 &&
    html`<p>Not changed:</p><ul>${answer.batch.map(({ number, message }) => html`<li>#${number}: ${message}.</li>`)}</ul>`;
  return html`<div class="tools">${queryBox(visit, list, query)}${tools}</div>
    ${quickSearches(visit, list, query, list.milestone === null ? savedSearches(visit, list, query, loaded.saved, answer.search) : null)}
    ${unknownNote(visit, query)}${note(visit, "bad", answer.problem)}${refused && html`<div class="note bad" role="alert">${icon(visit, "circle-alert")}<div>${refused}</div></div>`}
    ${loaded.pinned.length > 0 && access !== null && pinnedPanel(visit, list, loaded.pinned, (found) => row(found, false))}
    ${loaded.awaited.length > 0 && html`<section class="panel edge pinned" aria-labelledby="awaited"><div class="head">${icon(visit, "eye")}<h2 id="awaited">Waiting for your review</h2></div><ul class="rows links issues">${loaded.awaited.map((found) => row(found, false))}</ul></section>`}
    <section class="panel edge list" id="list"${isLive && html` data-live data-offer data-noun="${list.kinds[0] === true ? "pull request" : "issue"}"`} aria-label="${wholeNumber(loaded.total)} ${what}"><header><nav class="segments" aria-label="State">${state("open", "Open")}${state("closed", "Closed")}</nav><span class="grow"></span><span class="line flow">${filterMenus(visit, list, query)}</span></header>
    ${loaded.batch !== null && shown.length > 0 && batchForm(visit, list, query, loaded.batch)}
    ${shown.length === 0 ? nothing(visit, list, query) : html`<ul class="rows links issues">${shown}</ul>`}</section>
    ${pager(visit, base, visit.query, loaded.at, loaded.total)}`;
}
