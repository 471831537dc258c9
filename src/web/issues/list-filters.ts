import { listEntitled } from "../../domain/repos/entitled-queries.ts";
import { listRepositories } from "../../domain/repos/list-queries.ts";
import { searchUsers } from "../../domain/identity/users/list-queries.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import type { IssueOrderName } from "../../domain/work/issues/list-filter.ts";
import { listIssues } from "../../domain/work/issues/list-queries.ts";
import { listLabelNames, listUsableLabels } from "../../domain/work/labels/queries.ts";
import { listMilestones, listMilestonesOfMany } from "../../domain/work/milestones/queries.ts";
import { html, type Html } from "../html.ts";
import { icon } from "../parts/icon.ts";
import { labelDot } from "../parts/label.ts";
import { empty } from "../parts/note.ts";
import { wholeNumber } from "../parts/size.ts";
import type { Page } from "../respond.ts";
import type { Visit } from "../visit.ts";
import { quote, readIssueQuery, userQualifiers, writeIssueQuery, type IssueQuery } from "./issue-query.ts";
import { searchAddress, searchOf, type Listed } from "./listed.ts";
import type { Place } from "../frame/place.ts";

/** So many choices of a filter are shown at once; one types to see others. */
const mostChoices = { size: 15, offset: 0 };
const longestText = 100;

export const orderWords: Readonly<Record<Exclude<IssueOrderName, "priority">, string>> = {
  latest: "Newest",
  oldest: "Oldest",
  recentupdate: "Changed last",
  leastupdate: "Changed first",
  mostcomment: "Most comments",
  leastcomment: "Fewest comments",
  nearduedate: "Due first",
  farduedate: "Due last",
  relevance: "Best match",
};

/** What a filter is by, in the words of the search box, and what it is called. */
const filterNames = {
  is: "State",
  label: "Label",
  "-label": "Without label",
  milestone: "Milestone",
  no: "Nothing of",
  author: "Author",
  assignee: "Assignee",
  mentions: "Mentions",
  "review-requested": "Review asked for",
  "reviewed-by": "Reviewed by",
  repo: "Repository",
  sort: "Sort",
} as const;
type FilterName = keyof typeof filterNames;
const isFilter = (name: string): name is FilterName => Object.hasOwn(filterNames, name);

/** Those that have a menu above the list. */
const menus = ["author", "label", "milestone", "assignee", "repo"] as const;

function filtersOf({ kinds, access, milestone }: Listed): FilterName[] {
  return (Object.keys(filterNames) as FilterName[]).filter(
    (name) =>
      !(name === "repo" && access !== null) &&
      !(name === "milestone" && milestone !== null) &&
      !((name === "review-requested" || name === "reviewed-by") && !kinds.includes(true)),
  );
}

/** A value that a filter can have. */
interface Choice {
  readonly value: string;
  readonly content: Html;
  /** The search with it, or without it if it has it already. */
  readonly query: IssueQuery;
  readonly isChosen: boolean;
}

const toggled = <Item>(list: readonly Item[], item: Item): Item[] =>
  list.includes(item) ? list.filter((one) => one !== item) : [...list, item];

/** A search with one value of a filter, or without the one that it has. */
function withValue(query: IssueQuery, by: FilterName, value: string): Pick<Choice, "query" | "isChosen"> {
  const one = <Field extends keyof IssueQuery>(field: Field, to: IssueQuery[Field], none: IssueQuery[Field]) => ({
    query: { ...query, [field]: query[field] === to ? none : to },
    isChosen: query[field] === to,
  });
  switch (by) {
    case "is":
      return { ...one("state", value as IssueQuery["state"], value as IssueQuery["state"]) };
    case "sort":
      return one("sort", value as IssueOrderName, "latest");
    case "label":
      return { query: { ...query, labels: toggled(query.labels, value) }, isChosen: query.labels.includes(value) };
    case "-label":
      return {
        query: { ...query, withoutLabels: toggled(query.withoutLabels, value) },
        isChosen: query.withoutLabels.includes(value),
      };
    case "no": {
      const missing = value as IssueQuery["without"][number];
      return {
        query: { ...query, without: toggled(query.without, missing) },
        isChosen: query.without.includes(missing),
      };
    }
    case "milestone":
      return one("milestone", value, null);
    case "repo":
      return one("repository", value, null);
    default:
      return one(userQualifiers[by], value, null);
  }
}

/** The values that a filter offers, those that have `text` in their name. */
async function valuesOf(
  forge: Forge,
  visit: Visit,
  list: Listed,
  by: FilterName,
  text: string,
): Promise<{ value: string; content: Html }[]> {
  const { db } = forge.database;
  const { access, organization } = list;
  const ownerId = organization?.id ?? null;
  const plain = (values: readonly string[]) =>
    values.filter((value) => value.includes(text.toLowerCase())).map((value) => ({ value, content: html`${value}` }));
  switch (by) {
    case "is":
      return plain(["open", "closed", "all"]);
    case "no":
      return plain(["label", "milestone", "assignee"]);
    case "sort":
      return (Object.keys(orderWords) as (keyof typeof orderWords)[])
        .filter((value) => value.includes(text.toLowerCase()))
        .map((value) => ({ value, content: html`${orderWords[value]}` }));
    case "label":
    case "-label": {
      const labels =
        access === null
          ? await listLabelNames(db, visit, { ownerId }, text, mostChoices.size)
          : await listUsableLabels(db, access, mostChoices, text);
      return labels.map((label) => ({
        value: label.name,
        content: html`${labelDot(label)}<span class="cut" dir="auto">${label.name}</span>`,
      }));
    }
    case "milestone": {
      const filter = { state: "open", name: text } as const;
      const rows =
        access === null
          ? (await listMilestonesOfMany(db, visit, { ownerId }, filter, mostChoices, "due")).rows.map(
              (row) => row.milestone,
            )
          : (await listMilestones(db, access.repository.id, filter, mostChoices)).rows;
      return [...new Set(rows.map(({ title }) => title))].map((value) => ({
        value,
        content: html`<span class="cut" dir="auto">${value}</span>`,
      }));
    }
    case "repo": {
      const keywords = { words: [text.toLowerCase()], inDescription: false, topicOnly: false };
      const whose = ownerId === null ? { participantId: visit.actor?.id ?? 0 } : { ownerId };
      const filter = { ...whose, ...(text === "" ? {} : { keywords }) };
      const { rows } = await listRepositories(db, visit, filter, { by: "updated", descending: true }, mostChoices);
      return rows.map(({ owner, repository }) => ({
        value: `${owner.name}/${repository.name}`,
        content: html`<span class="cut">${owner.name}/${repository.name}</span>`,
      }));
    }
    default: {
      const found =
        text === "" && access !== null && visit.actor !== null
          ? (await listEntitled(db, visit, access, ["issues", "pulls"], "write")).slice(0, mostChoices.size)
          : text === ""
            ? []
            : (await searchUsers(db, visit, { text }, mostChoices)).rows;
      const names = found.map(({ name }) => name);
      const self = visit.actor !== null && "@me".includes(text.toLowerCase()) ? ["@me"] : [];
      return [...self, ...names].map((value) => ({ value, content: html`<span class="cut">${value}</span>` }));
    }
  }
}

/** Filters whose values are no choice of some of the list, so that nothing is counted. */
const uncounted: readonly FilterName[] = ["sort", "is"];

/** How many each choice would list. With words in the search, to count takes too long. */
async function countsOf(forge: Forge, visit: Visit, list: Listed, by: FilterName, choices: readonly Choice[]) {
  return Promise.all(
    choices.map(async ({ query, isChosen }) => {
      if (isChosen || query.text !== "" || uncounted.includes(by)) {
        return null;
      }
      const search = await searchOf(forge, visit, list, query);
      const one = { size: 1, offset: 0 };
      return search === null
        ? 0
        : (await listIssues(forge.database.db, visit, search.place, search.filter, "latest", one)).total;
    }),
  );
}

const filterAddress = ({ base }: Listed, by: string, query: IssueQuery): string =>
  `${base}/filter?${new URLSearchParams({ by, q: writeIssueQuery(query) }).toString()}`;

/** The menus above a list. Each is a link to the choices of its filter, which the script opens as a menu. */
export function filterMenus(visit: Visit, list: Listed, query: IssueQuery): Html {
  const offered = filtersOf(list);
  const links = menus
    .filter((by) => offered.includes(by))
    .map(
      (by) =>
        html`<filter-menu><a class="button bare s" rel="nofollow" href="${filterAddress(list, by, query)}">${filterNames[by]}${icon(visit, "chevron-down")}</a></filter-menu>`,
    );
  const orders = (Object.keys(orderWords) as (keyof typeof orderWords)[]).filter(
    (sort) => sort !== "relevance" || query.text !== "",
  );
  return html`${links}<button type="button" class="button bare s" popovertarget="sort-menu">Sort${icon(visit, "chevron-down")}</button>
<div class="menu" id="sort-menu" popover>${orders.map((sort) => html`<a rel="nofollow" href="${searchAddress(list, { ...query, sort })}"${query.sort === sort && html` aria-current="true"`}>${query.sort === sort && icon(visit, "check")}${orderWords[sort]}</a>`)}</div>`;
}

/** The page of a filter's choices, which search boxes complete from, too. Without a filter, the choices are the filters. */
export async function filterPage(forge: Forge, visit: Visit, list: Listed, place: Place): Promise<Page> {
  const by = visit.query.get("by") ?? "";
  const query = readIssueQuery(visit.query.get("q") ?? "");
  const text = (visit.query.get("find") ?? "").trim().slice(0, longestText);
  const hidden = { by, q: writeIssueQuery(query) };
  const { title, links } = isFilter(by) && filtersOf(list).includes(by) ? await choicesOf(by) : namesOf();
  const known = html`${Object.entries(hidden).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}`;
  return {
    title,
    place: { ...place, width: "narrow" },
    body: html`<h1>${title}</h1><ref-search class="stack s filter-choices"><form class="seek" role="search" aria-label="${title}" action="${list.base}/filter">${known}${icon(visit, "search")}<input type="search" name="find" value="${text}" aria-label="Find" placeholder="Find" autocomplete="off" maxlength="${longestText}"></form>
      <div class="nav" data-refs>${links.length === 0 ? empty(visit, "search", "Nothing fits", null) : links}</div></ref-search>
      <p><a href="${searchAddress(list, query)}">Back to the list</a></p>`,
  };

  async function choicesOf(name: FilterName) {
    const values = await valuesOf(forge, visit, list, name, text);
    const choices = values.map(({ value, content }): Choice => {
      const { query: to, isChosen } = withValue(query, name, value);
      return { value, content, query: to, isChosen };
    });
    const counts = await countsOf(forge, visit, list, name, choices);
    return {
      title: filterNames[name],
      links: choices.map(({ value, content, query: to, isChosen }, index) => {
        const count = counts[index] ?? null;
        return html`<a rel="nofollow" href="${searchAddress(list, to)}" data-value="${name}:${quote(value)}"${isChosen && html` aria-current="true"`}>${isChosen && icon(visit, "check")}<span class="line grow">${content}</span>${count !== null && html`<span class="count">${wholeNumber(count)}</span>`}</a>`;
      }),
    };
  }

  function namesOf() {
    return {
      title: "Filter",
      links: filtersOf(list)
        .filter(
          (name) => name.includes(text.toLowerCase()) || filterNames[name].toLowerCase().includes(text.toLowerCase()),
        )
        .map(
          (name) =>
            html`<a rel="nofollow" href="${filterAddress(list, name, query)}" data-value="${name}:"><span class="grow">${filterNames[name]}</span><code>${name}:</code></a>`,
        ),
    };
  }
}
