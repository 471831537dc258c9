import { listOrganizations } from "../../domain/identity/orgs/queries.ts";
import { listRepositories } from "../../domain/repos/list-queries.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { html } from "../html.ts";
import type { DeclarePage, PageRoute } from "../pages.ts";
import { pager, sliceOf } from "../parts/pager.ts";
import { peopleList } from "../parts/people.ts";
import { repositoryList } from "../parts/repositories.ts";
import { repositorySearch, repositorySearchForm } from "../parts/repository-search.ts";
import { counted } from "../parts/size.ts";
import { administersServer, adminLink, adminPage } from "./admin-page.ts";

/** All organizations and repositories, also those that are private. */
export function adminOwnerPages(forge: Forge, page: DeclarePage): PageRoute[] {
  const { db } = forge.database;

  return [
    page("GET", "/-/admin/organizations", administersServer, async ({ visit }) => {
      const at = sliceOf(visit.query);
      const { rows, total } = await listOrganizations(db, visit, {}, at);
      return adminPage(visit, "organizations", {
        title: counted(total, "organization"),
        body: html`${peopleList(visit, rows, "There is no organization.")}${pager(visit, adminLink(visit.root, "organizations"), visit.query, at, total)}`,
      });
    }),
    page("GET", "/-/admin/repositories", administersServer, async ({ visit }) => {
      const at = sliceOf(visit.query);
      const { filter, order } = repositorySearch(visit.query);
      const { rows, total } = await listRepositories(db, visit, filter, order, at);
      const address = adminLink(visit.root, "repositories");
      return adminPage(visit, "repositories", {
        title: counted(total, "repository", "repositories"),
        body: html`<div>${repositorySearchForm(visit, address, visit.query)}${repositoryList(visit, rows, true)}${pager(visit, address, visit.query, at, total)}</div>`,
      });
    }),
  ];
}
