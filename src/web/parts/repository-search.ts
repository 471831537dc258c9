import type { RepositoryFilter, RepositoryOrder } from "../../domain/repos/list-filter.ts";
import type { Reader } from "../frame/reader.ts";
import { html, type Html } from "../html.ts";
import { icon } from "./icon.ts";
import type { IconName } from "../assets/icons.ts";

export interface Choice<Value> {
  readonly key: string;
  readonly words: string;
  readonly value: Value;
}

/** The orders that a list of repositories offers; the first is the usual one. */
export const repositoryOrders: readonly Choice<RepositoryOrder>[] = [
  { key: "updated", words: "Recently updated", value: { by: "updated", descending: true } },
  { key: "stars", words: "Most stars", value: { by: "stars", descending: true } },
  { key: "forks", words: "Most forks", value: { by: "forks", descending: true } },
  { key: "newest", words: "Newest", value: { by: "created", descending: true } },
  { key: "oldest", words: "Oldest", value: { by: "created", descending: false } },
  { key: "name", words: "By name", value: { by: "alpha", descending: false } },
  { key: "size", words: "Largest", value: { by: "size", descending: true } },
];

export const repositoryKinds: readonly Choice<RepositoryFilter>[] = [
  { key: "sources", words: "Sources", value: { fork: false } },
  { key: "forks", words: "Forks", value: { fork: true } },
  { key: "mirrors", words: "Mirrors", value: { mirror: true } },
  { key: "templates", words: "Templates", value: { template: true } },
  { key: "archived", words: "Archived", value: { archived: true } },
  { key: "private", words: "Private", value: { private: true } },
];

/** The most words that a search looks for, and the most characters of one word and of a name. */
const mostWords = 10;
const mostCharacters = 100;

/** What a list of repositories is asked for in its address: `q` (words), `kind`, `language`, `topic` and `sort`. */
export function repositorySearch(query: URLSearchParams): { filter: RepositoryFilter; order: RepositoryOrder } {
  const words = (query.get("q") ?? "").split(/[\s,]+/).filter((word) => word !== "");
  const order = repositoryOrders.find(({ key }) => key === query.get("sort")) ?? repositoryOrders[0];
  const kind = repositoryKinds.find(({ key }) => key === query.get("kind"));
  const [language, topic] = ["language", "topic"].map((name) => (query.get(name) ?? "").slice(0, mostCharacters));
  return {
    filter: {
      ...kind?.value,
      ...(language ? { language } : {}),
      ...(topic ? { topic: topic.toLowerCase() } : {}),
      ...(words.length === 0
        ? {}
        : {
            keywords: {
              words: words.slice(0, mostWords).map((word) => word.slice(0, mostCharacters)),
              inDescription: true,
              topicOnly: false,
            },
          }),
    },
    order: order?.value ?? { by: "updated", descending: true },
  };
}

/** The address of a list with one thing of its query changed; null takes it away. A changed list begins at its first page. */
export function changedQuery(address: string, query: URLSearchParams, name: string, value: string | null): string {
  const changed = new URLSearchParams(query);
  changed.delete("page");
  if (value === null) {
    changed.delete(name);
  } else {
    changed.set(name, value);
  }
  const text = changed.toString();
  return text === "" ? address : `${address}?${text}`;
}

interface Search {
  readonly address: string;
  readonly query: URLSearchParams;
  /** What is looked for, such as "Find a repository". */
  readonly words: string;
  /** The parts of the query that the form keeps. */
  readonly kept: readonly string[];
}

/** A field that searches a list. Its answer is an address, so a search can be kept and sent to others. `beside` stands after it. */
export function searchForm(reader: Reader, { address, query, words, kept }: Search, beside: Html | null): Html {
  const hidden = kept.flatMap((name) => {
    const value = query.get(name);
    return value === null || value === "" ? [] : [html`<input type="hidden" name="${name}" value="${value}">`];
  });
  return html`<form class="tools" role="search" aria-label="${words}" action="${address}">${hidden}<div class="seek grow">${icon(reader, "search")}<input type="search" name="q" value="${query.get("q") ?? ""}" aria-label="${words}" placeholder="${words}" maxlength="300"></div>${beside}</form>`;
}

/** A menu whose lines are links to the same list, changed. */
export function choiceMenu(
  reader: Reader,
  { address, query }: Pick<Search, "address" | "query">,
  { name, label, iconName }: { name: string; label: string; iconName?: IconName },
  choices: readonly Pick<Choice<unknown>, "key" | "words">[],
  usual: string,
): Html {
  const asked = query.get(name) ?? "";
  const chosen = choices.find(({ key }) => key === asked) ?? choices.find(({ key }) => key === usual);
  const links = choices.map(
    ({ key, words }) =>
      html`<a rel="nofollow" href="${changedQuery(address, query, name, key === usual ? null : key)}"${key === chosen?.key && html` aria-current="true"`}>${words}</a>`,
  );
  return html`<button type="button" class="button" popovertarget="menu-${name}">${iconName !== undefined && icon(reader, iconName)}<span class="sr">${label}: </span>${chosen?.words ?? label}${icon(reader, "chevron-down")}</button><div class="menu" id="menu-${name}" popover>${links}</div>`;
}

/** The search above the repositories of one owner, with menus for kinds and orders. */
export function repositorySearchForm(
  reader: Reader,
  address: string,
  query: URLSearchParams,
  kept: readonly string[] = [],
): Html {
  const at = { address, query };
  return searchForm(
    reader,
    { ...at, words: "Find a repository", kept: [...kept, "kind", "language", "topic", "sort"] },
    html`${choiceMenu(reader, at, { name: "kind", label: "Kind" }, [{ key: "", words: "All kinds" }, ...repositoryKinds], "")}${choiceMenu(reader, at, { name: "sort", label: "Order" }, repositoryOrders, "updated")}`,
  );
}
