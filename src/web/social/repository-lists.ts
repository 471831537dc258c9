import type { RepositoryAccess } from "../../auth/subject.ts";
import { listRelatedUsers } from "../../domain/identity/social/queries.ts";
import { listRepositories } from "../../domain/repos/list-queries.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { html, type Html } from "../html.ts";
import { repositoryLink } from "../links.ts";
import type { DeclarePage, PageRoute } from "../pages.ts";
import { pager, sliceOf } from "../parts/pager.ts";
import { peopleList } from "../parts/people.ts";
import { repositoryList } from "../parts/repositories.ts";
import { wholeNumber } from "../parts/size.ts";
import type { Page } from "../respond.ts";
import type { Visit } from "../visit.ts";

const reads = { may: { on: "repository", do: "read", unit: "any" } } as const;
const people = [
  { path: "stars", kind: "stargazers", title: "Stars", none: "Nobody has starred this repository yet." },
  { path: "watchers", kind: "watchers", title: "Watchers", none: "Nobody watches this repository." },
] as const;
/** The oldest fork first, as the API lists them. */
const oldest = { by: "id", descending: false } as const;

function listPage(
  visit: Visit,
  access: RepositoryAccess,
  title: string,
  path: string,
  total: number,
  list: Html,
): Page {
  const address = `${repositoryLink(visit.root, access)}/${path}`;
  return {
    title: `${title} of ${access.owner.name}/${access.repository.name}`,
    body: html`<div class="title"><h1>${title} <span class="count">${wholeNumber(total)}</span></h1></div>${list}${pager(visit, address, visit.query, sliceOf(visit.query), total)}`,
  };
}

/** Who starred or watches a repository, and its forks. */
export function repositoryListPages(forge: Forge, page: DeclarePage): PageRoute[] {
  const { db } = forge.database;

  return [
    ...people.map(({ path, kind, title, none }) =>
      page("GET", `/:owner/:repo/${path}`, reads, async ({ visit, repository: access }) => {
        const at = sliceOf(visit.query);
        const { rows, total } = await listRelatedUsers(db, visit, kind, access.repository.id, at);
        return listPage(visit, access, title, path, total, peopleList(visit, rows, none));
      }),
    ),
    page("GET", "/:owner/:repo/forks", reads, async ({ visit, repository: access }) => {
      const at = sliceOf(visit.query);
      const { rows, total } = await listRepositories(db, visit, { forkOf: access.repository.id }, oldest, at);
      return listPage(visit, access, "Forks", "forks", total, repositoryList(visit, rows, true));
    }),
  ];
}
