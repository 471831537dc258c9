import type { Reader } from "../frame/reader.ts";
import { html, type Html } from "../html.ts";
import { icon } from "../parts/icon.ts";

/** The form that searches branches or tags by a part of their name. */
export function refSearch(reader: Reader, address: string, what: "branch" | "tag", query: URLSearchParams): Html {
  const view = query.get("view");
  return html`<form class="seek grow" role="search" aria-label="${what === "branch" ? "Branches" : "Tags"}" action="${address}">${icon(reader, "search")}<input type="search" name="q" maxlength="255" value="${query.get("q") ?? ""}" aria-label="Find a ${what}" placeholder="Find a ${what}">${view !== null && html`<input type="hidden" name="view" value="${view}">`}</form>`;
}

/** Links to the parts of a list; they keep what is searched for. */
export function viewLinks(
  address: string,
  views: readonly { key: string; name: string }[],
  query: URLSearchParams,
): Html {
  const chosen = query.get("view") ?? "";
  const q = query.get("q") ?? "";
  const links = views.map(({ key, name }) => {
    const kept = new URLSearchParams({ ...(key === "" ? {} : { view: key }), ...(q === "" ? {} : { q }) }).toString();
    return html`<a href="${address}${kept === "" ? "" : `?${kept}`}"${key === chosen ? html` aria-current="page"` : null}>${name}</a>`;
  });
  return html`<nav class="segments" aria-label="Parts of the list">${links}</nav>`;
}
