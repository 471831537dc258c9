import type { RepositoryAccess } from "../../auth/subject.ts";
import { NotFound } from "../../domain/spine/errors.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { wikiBaseOf } from "../../domain/work/markdown/link-base.ts";
import { openWiki } from "../../domain/git/wiki-stores/queries.ts";
import { findPage, listPages, openPages, readPageAt, type ReadPage } from "../../domain/repos/wiki/read-pages.ts";
import { html, type Html } from "../html.ts";
import { wikiLink } from "../links.ts";
import type { DeclarePage, PageRoute } from "../pages.ts";
import { empty } from "../parts/note.ts";
import { pager, sliceOf } from "../parts/pager.ts";
import { ago } from "../parts/time.ts";
import type { Page } from "../respond.ts";
import type { Visit } from "../visit.ts";
import { renderMarkdown, textOf } from "./document.ts";
import { rawFile } from "./raw-file.ts";

const readWiki = { may: { on: "repository", do: "read", unit: "wiki" } } as const;
const firstPage = "Home";
/** In the place of a page: the list of all, which no page can be called. */
const listPath = "_pages";
const rawPrefix = "raw/";

/** The pages of a wiki as they read, a list of them, and its other files as bytes. They are written by the API and by git. */
export function wikiPages(forge: Forge, page: DeclarePage): PageRoute[] {
  async function open(access: RepositoryAccess) {
    const { repository: wiki } = await openWiki(forge.database.db, access);
    return openPages(forge, wiki);
  }

  async function part(visit: Visit, access: RepositoryAccess, bytes: Uint8Array | null): Promise<Html> {
    const text = bytes === null ? null : textOf(bytes);
    return text === null
      ? html`<p>It is too large to be shown here, or it is no text.</p>`
      : renderMarkdown(forge, visit, access, wikiBaseOf(forge.addresses, access), text);
  }

  async function show(visit: Visit, access: RepositoryAccess, read: ReadPage): Promise<Page> {
    const { title } = read.page;
    const beside = async (bytes: Uint8Array | null, label: string) =>
      bytes === null ? null : html`<aside aria-label="${label}">${await part(visit, access, bytes)}</aside>`;
    const { name, seconds } = read.lastCommit.author;
    return {
      title: `${title} · ${access.owner.name}/${access.repository.name}`,
      place: { tab: "wiki" },
      body: html`<div class="title"><div class="split"><h1>${title}</h1><a href="${wikiLink(visit.root, access, listPath)}">All pages</a></div>
        <p class="soft">Changed by ${name}, ${ago(visit, new Date(seconds * 1000))}</p></div>
        ${await part(visit, access, read.content)}
        ${title.startsWith("_") ? null : html`${await beside(read.sidebar, "Sidebar")}${await beside(read.footer, "Footer")}`}`,
    };
  }

  async function list(visit: Visit, access: RepositoryAccess): Promise<Page> {
    const at = sliceOf(visit.query);
    const { rows, total } = await listPages(forge, access, at, visit.request.signal);
    const items = rows.map(
      ({ page: { title, path } }) =>
        html`<li><a href="${wikiLink(visit.root, access, path)}">${title || path}</a></li>`,
    );
    return {
      title: `Wiki · ${access.owner.name}/${access.repository.name}`,
      place: { tab: "wiki" },
      body: html`<div class="title"><h1>Wiki</h1></div>
        ${total === 0 ? empty(visit, "book-open", "The wiki has no pages yet", html`The first one is the file <code>${firstPage}.md</code>: push it to the address below.`) : html`<ul class="panel rows links">${items}</ul>`}
        ${pager(visit, wikiLink(visit.root, access, listPath), visit.query, at, total)}
        <dl class="pairs"><dt>Clone</dt><dd><code>${forge.addresses.clone(access.owner.name, `${access.repository.name}.wiki`)}</code></dd></dl>`,
    };
  }

  return [
    page("GET", "/:owner/:repo/wiki", readWiki, async ({ visit, repository: access }) => {
      const opened = await open(access);
      const found = opened?.pages.find(({ path }) => path === firstPage);
      return opened === null || found === undefined
        ? list(visit, access)
        : show(visit, access, await readPageAt(forge, opened, found, visit.request.signal));
    }),
    page("GET", "/:owner/:repo/wiki/*", readWiki, async ({ visit, repository: access }) => {
      const rest = visit.params["*"] ?? "";
      if (rest === "" || rest === listPath) {
        return list(visit, access);
      }
      const opened = await open(access);
      if (opened !== null && rest.startsWith(rawPrefix)) {
        const path = rest.slice(rawPrefix.length);
        const file = path === "" ? null : await forge.git.contents.findFile(opened.view, opened.commit, path);
        return rawFile(forge, visit, opened.view, file, path);
      }
      const found = opened === null ? null : findPage(opened, rest);
      if (opened === null || found === null) {
        throw new NotFound("wiki page", rest);
      }
      return show(visit, access, await readPageAt(forge, opened, found, visit.request.signal));
    }),
  ];
}
