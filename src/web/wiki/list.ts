import type { RepositoryAccess } from "../../auth/subject.ts";
import type { WikiPages } from "../../domain/repos/wiki/pages-at.ts";
import { pageOfFile } from "../../domain/repos/wiki/page-name.ts";
import { listPages } from "../../domain/repos/wiki/read-pages.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import type { FoundFile } from "../../git/grep/file-search.ts";
import { html, type Html } from "../html.ts";
import { wikiLink } from "../links.ts";
import { offers } from "../offers.ts";
import type { DeclarePage, PageRoute } from "../pages.ts";
import { icon } from "../parts/icon.ts";
import { empty, note } from "../parts/note.ts";
import { pager, sliceOf } from "../parts/pager.ts";
import { searchForm } from "../parts/repository-search.ts";
import { ago } from "../parts/time.ts";
import type { Visit } from "../visit.ts";
import { openWikiAt, readsWiki, wikiFormLink, writesWiki, type OpenedWiki } from "./open.ts";
import { cloneLine } from "./show.ts";

const longestSearch = 300;
const mostFound = 100;
/** Lines that are shown of a page that was found. */
const shownLines = 3;

/** A page that a search found: by its title, by lines of it, or both. */
interface FoundPage {
  readonly title: string;
  readonly path: string;
  readonly lines: readonly string[];
}

function pageOf({ pages }: Pick<WikiPages, "pages">, path: string): { title: string; path: string } | null {
  const found = pages.find(({ file }) => file === path);
  if (found !== undefined) {
    return found;
  }
  // In a folder, whose path is its address.
  const name = path.includes("/") && pageOfFile(path) !== null ? path.slice(0, -".md".length) : null;
  return name === null ? null : { title: name, path: name };
}

function linesOf({ lines }: FoundFile): string[] {
  return lines
    .filter(({ isMatch }) => isMatch)
    .slice(0, shownLines)
    .map(({ text }) => text.slice(0, 200));
}

/** The list of a wiki's pages, and the search in them. */
export function wikiListPages(forge: Forge, page: DeclarePage): PageRoute[] {
  async function search(
    visit: Visit,
    { wiki, opened }: OpenedWiki,
    words: string,
  ): Promise<{ found: FoundPage[]; isCut: boolean }> {
    if (opened === null) {
      return { found: [], isCut: false };
    }
    const query = { pattern: words, paths: ["*.md"], regex: false, ignoreCase: true, wholeWord: false, context: 0 };
    const { files, truncated } = await forge.git.codeSearch.find(wiki.repository, query, visit.request.signal);
    const byPath = new Map(files.map((file) => [file.path, file]));
    const wanted = words.toLowerCase();
    const titled = opened.pages.filter(({ title }) => title.toLowerCase().includes(wanted)).map(({ file }) => file);
    const paths = [...new Set([...titled, ...byPath.keys()])];
    const found = paths.flatMap((path) => {
      const named = pageOf(opened, path);
      const file = byPath.get(path);
      return named === null ? [] : [{ ...named, lines: file === undefined ? [] : linesOf(file) }];
    });
    return { found: found.slice(0, mostFound), isCut: truncated || found.length > mostFound };
  }

  async function results(visit: Visit, access: RepositoryAccess, opened: OpenedWiki, words: string): Promise<Html> {
    const { found, isCut } = await search(visit, opened, words);
    if (found.length === 0) {
      return empty(visit, "search", "No page matches", "The search is for a part of a title, or of a line.");
    }
    const link = (path: string) =>
      path.includes("/")
        ? `${wikiLink(visit.root, access)}/${path.split("/").map(encodeURIComponent).join("/")}`
        : wikiLink(visit.root, access, path);
    const rows = found.map(
      ({ title, path, lines }) =>
        html`<li><div class="grow"><a href="${link(path)}" dir="auto"><b>${title || path}</b></a>${lines.map((line) => html`<p class="soft small cut" dir="auto">${line}</p>`)}</div></li>`,
    );
    return html`${note(visit, "info", isCut ? "There may be more: search for a longer text." : null)}<ul class="panel edge rows links">${rows}</ul>`;
  }

  async function list(visit: Visit, access: RepositoryAccess, address: string): Promise<Html> {
    const at = sliceOf(visit.query);
    const { rows, total } = await listPages(forge, access, at, visit.request.signal);
    if (total === 0) {
      return empty(visit, "book-open", "The wiki has no pages yet", null);
    }
    const items = rows.map(
      ({ page: { title, path }, lastCommit }) =>
        html`<li>${icon(visit, "file", "faint")}<a class="grow cut" href="${wikiLink(visit.root, access, path)}" dir="auto">${title || path}</a>${lastCommit !== null && html`<span class="soft small not-narrow cut">${lastCommit.author.name}</span><span class="soft small">${ago(visit, new Date(lastCommit.author.seconds * 1000))}</span>`}</li>`,
    );
    return html`<ul class="panel edge rows links">${items}</ul>${pager(visit, address, visit.query, at, total)}`;
  }

  return [
    page("GET", "/:owner/:repo/wiki/_pages", readsWiki, async ({ visit, repository: access }) => {
      const { root, query } = visit;
      const address = wikiFormLink(root, access, "_pages");
      const words = (query.get("q") ?? "").trim().slice(0, longestSearch);
      const opened = await openWikiAt(forge, access);
      const shown = words === "" ? await list(visit, access, address) : await results(visit, access, opened, words);
      return {
        title: `Wiki · ${access.owner.name}/${access.repository.name}`,
        place: { tab: "wiki" },
        body: html`<div class="tools"><h1 class="grow">All pages</h1><a class="button" rel="nofollow" href="${wikiFormLink(root, access, "_pages/history")}">${icon(visit, "history")}History</a>${offers(visit, writesWiki) && html`<a class="button main" href="${wikiFormLink(root, access, "_new")}">${icon(visit, "plus")}New page</a>`}</div>
          ${searchForm(visit, { address, query, words: "Search in the wiki", kept: [] }, null)}${shown}
          <div class="wiki-clone">${cloneLine(forge, visit, access)}</div>`,
      };
    }),
  ];
}
