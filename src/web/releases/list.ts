import type { RepositoryAccess } from "../../auth/subject.ts";
import { getRelease, seesDrafts } from "../../domain/repos/releases/get-release.ts";
import { findLatestRelease, pageOfReleases } from "../../domain/repos/releases/queries.ts";
import { NotFound } from "../../domain/spine/errors.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { reads } from "../frame/subject-tabs.ts";
import { html, type Html } from "../html.ts";
import { releaseFormLink, releaseLink, releasesLink, repositoryLink } from "../links.ts";
import { offers } from "../offers.ts";
import { readsReleases, writesReleases, type DeclarePage, type PageRoute } from "../pages.ts";
import { icon } from "../parts/icon.ts";
import { empty } from "../parts/note.ts";
import { pager, sliceOf } from "../parts/pager.ts";
import { searchForm } from "../parts/repository-search.ts";
import { Redirect } from "../respond.ts";
import type { Visit } from "../visit.ts";
import { loadReleases } from "./load.ts";
import { releasePanel } from "./panel.ts";

const onPage = 10;
const longestSearch = 300;

function nothing(visit: Visit, access: RepositoryAccess, isSearch: boolean): Html {
  return isSearch
    ? empty(
        visit,
        "search",
        "No release matches",
        "Search for a part of the tag or of the title, or for words of the notes.",
      )
    : empty(
        visit,
        "tag",
        "No releases yet",
        offers(visit, writesReleases)
          ? html`A release gives a version notes and files. <a href="${releaseFormLink(visit.root, access, "new")}">Make the first one</a>.`
          : "A release gives a version notes and files.",
      );
}

/** The releases of a repository: all, one, the latest, and one of their files by its own name. */
export function releaseListPages(forge: Forge, page: DeclarePage): PageRoute[] {
  const { db } = forge.database;

  return [
    page("GET", "/:owner/:repo/releases", readsReleases, async ({ visit, repository: access }) => {
      const { query } = visit;
      const at = sliceOf(query, onPage);
      const search = (query.get("q") ?? "").trim().slice(0, longestSearch);
      const filter = { showsDrafts: seesDrafts(access), search };
      const { rows, total } = await pageOfReleases(db, visit, access.repository.id, filter, at);
      const releases = await loadReleases(forge, visit, access, rows);
      const address = releasesLink(visit.root, access);
      const tags = reads(visit, "code")
        ? html`<a class="button" href="${repositoryLink(visit.root, access)}/tags">${icon(visit, "tag")}Tags</a>`
        : null;
      return {
        title: `Releases · ${access.owner.name}/${access.repository.name}`,
        place: { tab: "releases" },
        head: { feeds: [{ address, title: "Releases" }] },
        body: html`<div class="tools"><h1 class="grow">Releases</h1>${tags}${offers(visit, writesReleases) && html`<a class="button main" href="${releaseFormLink(visit.root, access, "new")}">${icon(visit, "plus")}New release</a>`}</div>
          ${(total > onPage || search !== "") && searchForm(visit, { address, query, words: "Find a release", kept: [] }, null)}
          ${total === 0 ? nothing(visit, access, search !== "") : html`<div class="stack">${releases.map((one) => releasePanel(visit, access, one, false))}</div>`}
          ${pager(visit, address, query, at, total)}`,
      };
    }),
    page("GET", "/:owner/:repo/releases/latest", readsReleases, async ({ visit, repository: access }) => {
      const found = await findLatestRelease(db, visit, access.repository.id);
      if (found === null) {
        throw new NotFound("release", "latest");
      }
      return new Redirect(releaseLink(visit.root, access, found.release.tagName));
    }),
    page("GET", "/:owner/:repo/releases/tag/*", readsReleases, async ({ visit, repository: access }) => {
      const found = await getRelease(forge, visit, access, { tag: visit.params["*"] ?? "" });
      const [shown] = await loadReleases(forge, visit, access, [found]);
      const { title, tagName } = found.release;
      return {
        title: `${title || tagName} · ${access.owner.name}/${access.repository.name}`,
        place: { tab: "releases" },
        head: { about: found.release.body },
        body: html`<p class="back"><a href="${releasesLink(visit.root, access)}">${icon(visit, "chevron-left")}All releases</a></p>${releasePanel(visit, access, shown!, true)}`,
      };
    }),
    // The family's address of a file, which forms name.
    page("GET", "/:owner/:repo/releases/attachments/:uuid", readsReleases, ({ visit }) => {
      return new Redirect(`${visit.root}/attachments/${encodeURIComponent(visit.params["uuid"] ?? "")}`);
    }),
  ];
}
