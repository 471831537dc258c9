import type { RepositoryFilter, RepositoryOrder } from "../../domain/repos/list-filter.ts";
import type { Reader } from "../frame/reader.ts";
import { html, type Html } from "../html.ts";
import { icon } from "./icon.ts";

interface Choice<Value> {
  readonly key: string;
  readonly words: string;
  readonly value: Value;
}

/** The orders that a list of repositories offers; the first is the usual one. */
const orders: readonly Choice<RepositoryOrder>[] = [
  { key: "updated", words: "Recently updated", value: { by: "updated", descending: true } },
  { key: "stars", words: "Most stars", value: { by: "stars", descending: true } },
  { key: "forks", words: "Most forks", value: { by: "forks", descending: true } },
  { key: "newest", words: "Newest", value: { by: "created", descending: true } },
  { key: "oldest", words: "Oldest", value: { by: "created", descending: false } },
  { key: "name", words: "By name", value: { by: "alpha", descending: false } },
  { key: "size", words: "Largest", value: { by: "size", descending: true } },
];

const kinds: readonly Choice<RepositoryFilter>[] = [
  { key: "", words: "All kinds", value: {} },
  { key: "sources", words: "Sources", value: { fork: false } },
  { key: "forks", words: "Forks", value: { fork: true } },
  { key: "mirrors", words: "Mirrors", value: { mirror: true } },
  { key: "templates", words: "Templates", value: { template: true } },
  { key: "archived", words: "Archived", value: { archived: true } },
];

/** The most words that a search looks for. */
const mostWords = 10;

/** What a list of repositories is asked for in its address: `q` (words), `kind` and `sort`. */
export function repositorySearch(query: URLSearchParams): { filter: RepositoryFilter; order: RepositoryOrder } {
  const words = (query.get("q") ?? "").split(/[\s,]+/).filter((word) => word !== "");
  const order = orders.find(({ key }) => key === query.get("sort")) ?? orders[0];
  const kind = kinds.find(({ key }) => key === query.get("kind"));
  return {
    filter: {
      ...kind?.value,
      ...(words.length === 0
        ? {}
        : { keywords: { words: words.slice(0, mostWords), inDescription: true, topicOnly: false } }),
    },
    order: order?.value ?? { by: "updated", descending: true },
  };
}

function select<Value>(name: string, label: string, choices: readonly Choice<Value>[], chosen: string | null): Html {
  const options = choices.map(
    ({ key, words }) => html`<option value="${key}"${key === chosen ? html` selected` : null}>${words}</option>`,
  );
  return html`<select class="auto" name="${name}" aria-label="${label}">${options}</select>`;
}

/** The form above a list of repositories. Its answer is an address, so a search can be kept and sent to others. */
export function repositorySearchForm(reader: Reader, address: string, query: URLSearchParams): Html {
  return html`<form class="tools" role="search" aria-label="Repositories" action="${address}"><div class="seek grow">${icon(reader, "search")}<input type="search" name="q" value="${query.get("q") ?? ""}" aria-label="Find a repository" placeholder="Find a repository"></div>
    ${select("kind", "Kind", kinds, query.get("kind"))}${select("sort", "Order", orders, query.get("sort"))}<button class="button">Search</button></form>`;
}
