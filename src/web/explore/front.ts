import { listRepositories } from "../../domain/repos/list-queries.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { html } from "../html.ts";
import { open, type DeclarePage, type PageRoute } from "../pages.ts";
import { pager, sliceOf } from "../parts/pager.ts";
import { repositoryList } from "../parts/repositories.ts";
import { repositorySearch, repositorySearchForm } from "../parts/repository-search.ts";
import type { Page } from "../respond.ts";
import type { Visit } from "../visit.ts";

/** The front page and the list of all repositories that the visitor may see. */
export function frontPages(forge: Forge, page: DeclarePage): PageRoute[] {
  const { db } = forge.database;

  async function repositories(visit: Visit, path: string): Promise<Page> {
    const at = sliceOf(visit.query);
    const { filter, order } = repositorySearch(visit.query);
    const { rows, total } = await listRepositories(db, visit, filter, order, at);
    const address = visit.root + path;
    return {
      title: "Repositories",
      place: { crumbs: [{ name: "Repositories", href: `${visit.root}/explore/repos` }] },
      body: html`<h1 class="sr">Repositories</h1>${repositorySearchForm(visit, address, visit.query)}
        ${repositoryList(visit, rows, true)}${pager(visit, address, visit.query, at, total)}`,
    };
  }

  return [
    page("GET", "/", open, ({ visit }) => repositories(visit, "/")),
    page("GET", "/explore/repos", open, ({ visit }) => repositories(visit, "/explore/repos")),
  ];
}
