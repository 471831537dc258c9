import { searchOrganizations } from "../../domain/identity/orgs/queries.ts";
import { searchUsers } from "../../domain/identity/users/list-queries.ts";
import { listMainLanguages } from "../../domain/repos/list-language-queries.ts";
import { listRepositories } from "../../domain/repos/list-queries.ts";
import { searchTopics } from "../../domain/repos/topics/queries.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import type { Place } from "../frame/place.ts";
import { html, type Html } from "../html.ts";
import { topicLink } from "../links.ts";
import { open, type DeclarePage, type PageRoute } from "../pages.ts";
import { languageDot } from "../parts/language.ts";
import { empty } from "../parts/note.ts";
import { pager, sliceOf } from "../parts/pager.ts";
import { peopleList } from "../parts/people.ts";
import { repositoryList } from "../parts/repositories.ts";
import {
  changedQuery,
  choiceMenu,
  repositoryKinds,
  repositoryOrders,
  repositorySearch,
  searchForm,
} from "../parts/repository-search.ts";
import { counted, wholeNumber } from "../parts/size.ts";
import type { Page } from "../respond.ts";
import type { Visit } from "../visit.ts";

const mostLanguages = 10;
const mostTopics = 16;
const topicsPerPage = 100;
const longestText = 100;

function placeOf(visit: Visit, tab: string): Place {
  const list = [
    ["repos", "Repositories"],
    ["organizations", "Organizations"],
    ["users", "People"],
    ["topics", "Topics"],
  ].map(([key = "", name = ""]) => ({ key, name, href: `${visit.root}/explore/${key}` }));
  return { tab, tabs: { label: "Explore", list }, crumbs: [{ name: "Explore", href: `${visit.root}/explore/repos` }] };
}

/** The choices of one thing as links; the chosen one leads to the list without it. */
function choices(
  visit: Visit,
  address: string,
  name: string,
  list: readonly { key: string; content: Html; count?: number }[],
): Html {
  const chosen = visit.query.get(name);
  return html`<ul class="nav">${list.map(({ key, content, count }) => {
    const isChosen = key === chosen;
    return html`<li><a rel="nofollow" href="${changedQuery(address, visit.query, name, isChosen ? null : key)}"${isChosen && html` aria-current="true"`}><span class="line grow">${content}</span>${count !== undefined && html`<span class="count">${wholeNumber(count)}</span>`}</a></li>`;
  })}</ul>`;
}

/** What there is on the server, as far as the visitor may see it: repositories, organizations, people and topics. */
export function explorePages(forge: Forge, page: DeclarePage): PageRoute[] {
  const { db } = forge.database;

  async function filters(visit: Visit, address: string): Promise<Html> {
    const [languages, topics] = await Promise.all([
      listMainLanguages(db, visit, mostLanguages),
      searchTopics(db, visit, "", { size: mostTopics, offset: 0 }),
    ]);
    const asked = visit.query.get("language") ?? "";
    const others =
      asked === "" || languages.some(({ name }) => name === asked)
        ? []
        : [{ key: asked, content: html`${languageDot(asked)}${asked.slice(0, longestText)}` }];
    const topic = visit.query.get("topic") ?? "";
    const tagged = [
      ...new Set([...(topic === "" ? [] : [topic.slice(0, longestText)]), ...topics.rows.map(({ name }) => name)]),
    ];
    const kinds = repositoryKinds.filter(({ key }) => key !== "private" || visit.actor !== null);
    return html`<aside class="side filters" aria-label="Filters">
      ${languages.length + others.length > 0 && html`<section><h2>Language</h2>${choices(visit, address, "language", [...others, ...languages.map(({ name, count }) => ({ key: name, content: html`${languageDot(name)}${name}`, count }))])}</section>`}
      <section><h2>Kind</h2>${choices(
        visit,
        address,
        "kind",
        kinds.map(({ key, words }) => ({ key, content: html`${words}` })),
      )}</section>
      ${tagged.length > 0 && html`<section><h2>Topic</h2><div class="line flow">${tagged.map((name) => html`<a class="tag topic${name === topic ? " on" : ""}" rel="nofollow" href="${changedQuery(address, visit.query, "topic", name === topic ? null : name)}"${name === topic && html` aria-current="true"`}>${name}</a>`)}</div></section>`}</aside>`;
  }

  async function repositories(visit: Visit): Promise<Page> {
    const { query } = visit;
    const address = `${visit.root}/explore/repos`;
    const at = sliceOf(query);
    const { filter, order } = repositorySearch(query);
    const [{ rows, total }, beside] = await Promise.all([
      listRepositories(db, visit, filter, order, at),
      filters(visit, address),
    ]);
    const words = total === 0 ? "Search repositories" : `Search ${counted(total, "repository", "repositories")}`;
    const kept = ["kind", "language", "topic", "sort"];
    return {
      title: "Repositories",
      place: placeOf(visit, "repos"),
      body: html`<h1 class="sr">Repositories</h1><div class="columns left">${beside}<div>
        ${searchForm(visit, { address, query, words, kept }, choiceMenu(visit, { address, query }, { name: "sort", label: "Order" }, repositoryOrders, "updated"))}
        ${repositoryList(visit, rows, true)}${pager(visit, address, query, at, total)}</div></div>`,
    };
  }

  async function owners(
    visit: Visit,
    { tab, title, one, many }: { tab: "users" | "organizations"; title: string; one: string; many: string },
  ): Promise<Page> {
    const { query } = visit;
    const address = `${visit.root}/explore/${tab}`;
    const at = sliceOf(query);
    const text = (query.get("q") ?? "").trim().slice(0, longestText);
    const { rows, total } =
      tab === "users" ? await searchUsers(db, visit, { text }, at) : await searchOrganizations(db, visit, text, at);
    const words = total === 0 ? `Search ${many}` : `Search ${wholeNumber(total)} ${total === 1 ? one : many}`;
    return {
      title,
      place: placeOf(visit, tab),
      body: html`<h1 class="sr">${title}</h1>${searchForm(visit, { address, query, words, kept: [] }, null)}
        ${peopleList(visit, rows, `There are no ${many} here that you can see and that fit.`)}${pager(visit, address, query, at, total)}`,
    };
  }

  async function topics(visit: Visit): Promise<Page> {
    const { query } = visit;
    const address = `${visit.root}/explore/topics`;
    const at = sliceOf(query, topicsPerPage);
    const text = (query.get("q") ?? "").trim().slice(0, longestText);
    const { rows, total } = await searchTopics(db, visit, text, at);
    const list =
      rows.length === 0
        ? empty(visit, "tag", "No topics", "Whoever administers a repository can say what it is about.")
        : html`<div class="line flow">${rows.map(({ name, count }) => html`<a class="tag topic" href="${topicLink(visit.root, name)}">${name} <span class="count">${wholeNumber(count)}<span class="sr"> repositories</span></span></a>`)}</div>`;
    return {
      title: "Topics",
      place: placeOf(visit, "topics"),
      body: html`<h1 class="sr">Topics</h1>${searchForm(visit, { address, query, words: "Search topics", kept: [] }, null)}${list}${pager(visit, address, query, at, total)}`,
    };
  }

  return [
    page("GET", "/explore", open, ({ visit }) => repositories(visit)),
    page("GET", "/explore/repos", open, ({ visit }) => repositories(visit)),
    page("GET", "/explore/users", open, ({ visit }) =>
      owners(visit, { tab: "users", title: "People", one: "person", many: "people" }),
    ),
    page("GET", "/explore/organizations", open, ({ visit }) =>
      owners(visit, { tab: "organizations", title: "Organizations", one: "organization", many: "organizations" }),
    ),
    page("GET", "/explore/topics", open, ({ visit }) => topics(visit)),
  ];
}
