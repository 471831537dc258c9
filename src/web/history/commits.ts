import type { RepositoryAccess } from "../../auth/subject.ts";
import { prepareSearchCommits } from "../../domain/git/commits/search-commits.ts";
import type { Revision } from "../../domain/git/refs/revisions.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { missingRef } from "../files/missing.ts";
import { html, type Html } from "../html.ts";
import { sourceLink } from "../links.ts";
import { readsCode, type DeclarePage, type PageRoute } from "../pages.ts";
import { icon } from "../parts/icon.ts";
import { empty, note } from "../parts/note.ts";
import { openPager, pager, sliceOf } from "../parts/pager.ts";
import { wholeNumber } from "../parts/size.ts";
import { findSource } from "../repos/find-source.ts";
import { readFewRefs, refMenu } from "../repos/ref-menu.ts";
import { trail } from "../repos/trail.ts";
import type { Visit } from "../visit.ts";
import { commitList } from "./commit-list.ts";
import { readCommitQuery, type CommitQueryText } from "./commit-query.ts";
import { historyNav } from "./side-nav.ts";

/** The longest search, in UTF-16 code units. */
const longestQuery = 500;

function searchForm(visit: Visit, address: string, text: string, problem: string | null): Html {
  const invalid = problem === null ? null : html` aria-invalid="true" aria-describedby="search-problem"`;
  return html`<form class="tools" role="search" aria-label="Commits" action="${address}"><div class="seek grow">${icon(visit, "search")}<input type="search" name="q" maxlength="${longestQuery}" value="${text}" aria-label="Search the commits" placeholder="Words, author:, committer:, after:2026-01-31, before:, path:, changes:text"${invalid}></div><button class="button">Search</button></form>
    ${problem !== null && html`<p class="problem" id="search-problem">${problem}.</p>`}`;
}

/** The history of a branch, tag or commit, or of a path in it. */
export function commitListPages(forge: Forge, page: DeclarePage): PageRoute[] {
  const search = prepareSearchCommits(forge.git.engine);

  async function listed(
    visit: Visit,
    access: RepositoryAccess,
    { view, commit }: Revision,
    path: string,
    address: string,
  ) {
    const at = sliceOf(visit.query);
    const { commits, total } = await forge.git.commits.log(
      view,
      {
        tips: [commit],
        not: [],
        paths: path === "" ? [] : [path],
        skip: at.offset,
        limit: at.size,
        count: true,
        files: false,
        stats: false,
      },
      visit.request.signal,
    );
    return html`${commits.length === 0 ? empty(visit, "history", "No commits", "No commit changed this path.") : await commitList(forge, visit, access, commits)}
      ${pager(visit, address, visit.query, at, total ?? 0)}`;
  }

  async function found(
    visit: Visit,
    access: RepositoryAccess,
    revision: Revision,
    path: string,
    address: string,
    query: CommitQueryText,
  ) {
    const at = sliceOf(visit.query);
    const paths = query.paths.length > 0 ? query.paths : path === "" ? [] : [path];
    const wanted = { ...query, paths, skip: at.offset, limit: at.size };
    const { commits, hasMore, looked, of } = await search(revision, wanted, visit.request.signal);
    const further =
      looked < of && !hasMore
        ? note(
            visit,
            "info",
            html`The latest ${wholeNumber(looked)} of ${wholeNumber(of)} commits were searched. <a href="${visit.here}">Search on</a>`,
          )
        : null;
    return html`${further}
      ${commits.length > 0 ? await commitList(forge, visit, access, commits) : looked < of ? null : empty(visit, "search", "No commit matches", "Try fewer words, or another branch.")}
      ${openPager(visit, address, visit.query, at, hasMore)}`;
  }

  return [
    page("GET", "/:owner/:repo/commits/*", { ...readsCode, past: true }, async ({ visit, repository: access }) => {
      const rest = visit.params["*"] ?? "";
      const source = await findSource(forge, access.repository, rest);
      if (source === null) {
        return missingRef(forge, visit, access, rest, "commits");
      }
      const { revision, path } = source;
      const address = sourceLink(visit.root, access, revision, path, "commits");
      const text = (visit.query.get("q") ?? "").slice(0, longestQuery).trim();
      const query = text === "" ? null : readCommitQuery(text);
      const problem = typeof query === "string" ? query : null;
      const [refs, list] = await Promise.all([
        readFewRefs(forge, access),
        query === null
          ? listed(visit, access, revision, path, address)
          : typeof query === "string"
            ? null
            : found(visit, access, revision, path, address, query),
      ]);
      return {
        ...(problem === null ? {} : { status: 422 }),
        title: `History of ${path === "" ? revision.name : path} · ${access.owner.name}/${access.repository.name}`,
        place: { tab: "code" },
        body: html`<div class="tools">${refMenu(visit, access, revision, path, refs, "commits")}${trail(visit, access, revision, path, "commits")}<span class="grow"></span>${historyNav(visit, access, "commits", address)}</div>
            ${searchForm(visit, address, text, problem)}${list}`,
      };
    }),
  ];
}
