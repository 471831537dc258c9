import { deleteSearch, longestSearchName, saveSearch } from "../../domain/work/issues/saved-searches.ts";
import type { FoundSearch, SearchedList } from "../../domain/work/issues/saved-search-queries.ts";
import type { UserDoer } from "../../domain/spine/doer.ts";
import type { Actor } from "../../auth/subject.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { html, type Html } from "../html.ts";
import { ownerLink, repositoryLink } from "../links.ts";
import { icon } from "../parts/icon.ts";
import { readRowId } from "../read-row-id.ts";
import { Redirect, type Page } from "../respond.ts";
import { tryForm } from "../try-form.ts";
import type { Refusal } from "../errors.ts";
import type { Visit } from "../visit.ts";
import { readIssueQuery, writeIssueQuery, type IssueQuery } from "./issue-query.ts";
import { askedQuery, formAddress, searchAddress, type Listed } from "./listed.ts";

/** The list as saved searches name it. */
export function searchedList({ kinds, access, organization }: Listed): SearchedList {
  return {
    repositoryId: access?.repository.id ?? null,
    organizationId: access === null ? (organization?.id ?? null) : null,
    isPull: kinds[0] === true,
  };
}

/** The searches of a list that the visitor saved, as links, and the form that saves the one that is shown. */
export function savedSearches(
  visit: Visit,
  list: Listed,
  query: IssueQuery,
  found: readonly FoundSearch[],
  refused: Refusal | null,
): Html {
  const q = writeIssueQuery(query);
  const address = formAddress(visit, list, "searches");
  const links = found.map(({ search }) => {
    const to = readIssueQuery(search.query);
    return html`<a class="tag" href="${searchAddress(list, to)}"${writeIssueQuery(to) === q && html` aria-current="page"`}>${icon(visit, "star")}<bdi>${search.name}</bdi></a>`;
  });
  const remove =
    found.length > 0 &&
    html`<form class="stack s" method="post" action="${address}">${visit.formField()}${found.map(({ search }) => html`<div class="split"><bdi class="cut">${search.name}</bdi><button class="button s" name="delete" value="${search.id}">Delete<span class="sr"> the search ${search.name}</span></button></div>`)}</form>`;
  return html`${links}<details class="saves"${refused !== null && html` open`}><summary class="tag">${icon(visit, "plus")}Save this search</summary><div class="menu-like stack s"><form class="stack s" method="post" action="${address}">${visit.formField()}
    <div class="field"><label for="search-name">Name</label><input type="text" id="search-name" name="name" value="${visit.form.text("name")}" maxlength="${longestSearchName}" dir="auto" required${refused !== null && html` aria-invalid="true" aria-describedby="search-problem"`}>${refused !== null && html`<p class="problem" id="search-problem">${refused.message}.</p>`}</div><div><button class="button s main">Save</button></div></form>${remove}</div></details>`;
}

/** Saves or deletes a search of a list, as the form above it asks. */
export function changeSearches(
  forge: Forge,
  visit: Visit,
  doer: UserDoer,
  actor: Actor,
  list: Listed,
  again: (refused: Refusal) => Promise<Page>,
): Promise<Page | Redirect> {
  const { form } = visit;
  const query = askedQuery(visit);
  return tryForm(async () => {
    if (form.has("delete")) {
      await forge.change(doer, (work) => deleteSearch(work, actor.id, readRowId(form.text("delete")) ?? 0));
      return new Redirect(searchAddress(list, query), "The search is deleted.");
    }
    const search = { name: form.text("name"), query: writeIssueQuery(query) };
    await forge.change(doer, (work) => saveSearch(work, actor.id, searchedList(list), search));
    return new Redirect(searchAddress(list, query), "The search is saved.");
  }, again);
}

/** A saved search as a link to its list, wherever that is. */
export function searchLink(visit: Visit, { search, owner, repository }: FoundSearch): Html {
  const { root } = visit;
  const kind = search.isPull ? "pulls" : "issues";
  const base =
    owner === null
      ? `${root}/${kind}`
      : repository === null
        ? `${ownerLink(`${root}/org`, owner)}/${kind}`
        : `${repositoryLink(root, { owner: { name: owner }, repository: { name: repository } })}/${kind}`;
  const where = repository === null ? owner : `${owner}/${repository}`;
  return html`<a href="${base}?${new URLSearchParams({ q: search.query }).toString()}">${icon(visit, "star")}<span class="cut"><bdi>${search.name}</bdi>${where !== null && html` <span class="faint small">${where}</span>`}</span></a>`;
}
