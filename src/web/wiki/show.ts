import type { RepositoryAccess } from "../../auth/subject.ts";
import type { WikiPages } from "../../domain/repos/wiki/pages-at.ts";
import { pageAtPath } from "../../domain/repos/wiki/page-name.ts";
import { findFolderPage, findPage, readPageAt, type ReadPage } from "../../domain/repos/wiki/read-pages.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { clip } from "../../lib/show-value.ts";
import { html, type Html } from "../html.ts";
import { wikiLink } from "../links.ts";
import { nearNames } from "../near-names.ts";
import { offers } from "../offers.ts";
import type { DeclarePage, PageRoute } from "../pages.ts";
import { copyFrom } from "../parts/copy.ts";
import { icon } from "../parts/icon.ts";
import { empty, note } from "../parts/note.ts";
import { outline, outlineLinks } from "../parts/outline.ts";
import { committed } from "../parts/person.ts";
import { ago } from "../parts/time.ts";
import { rawFile } from "../repos/raw-file.ts";
import { Redirect, type Page } from "../respond.ts";
import type { Visit } from "../visit.ts";
import { firstPage, openWikiAt, readsWiki, wikiFormLink, wikiPageLink, writesWiki } from "./open.ts";
import { renderPage } from "./render.ts";

const rawPrefix = "raw/";
/** Pages that are listed beside one. */
const shownPages = 30;
const besideEvery = ["_Sidebar", "_Footer"] as const;

/** The addresses of the family that say in the query what is wanted. */
const actions: Readonly<Record<string, (visit: Visit, access: RepositoryAccess, path: string) => string>> = {
  _pages: ({ root }, access) => wikiFormLink(root, access, "_pages"),
  _new: ({ root }, access) => wikiFormLink(root, access, "_new"),
  _edit: ({ root }, access, path) => wikiPageLink(root, access, "_edit", path || firstPage),
  _delete: ({ root }, access, path) => wikiPageLink(root, access, "_delete", path || firstPage),
  _revision: ({ root }, access, path) => wikiPageLink(root, access, "_history", path || firstPage),
};

/** Where the wiki can be cloned from. */
export function cloneLine(forge: Forge, visit: Visit, { owner, repository }: RepositoryAccess): Html {
  const address = forge.addresses.clone(owner.name, `${repository.name}.wiki`);
  return html`<div class="line"><code id="wiki-clone" class="cut">${address}</code>${copyFrom(visit, "wiki-clone", { label: "Copy the address to clone the wiki", isSmall: true })}</div>`;
}

function tools(visit: Visit, access: RepositoryAccess, path: string): Html {
  const { root } = visit;
  const forms = offers(visit, writesWiki)
    ? html`<a class="button" data-key="." href="${wikiPageLink(root, access, "_edit", path)}">${icon(visit, "pencil")}Edit</a><a class="button main" href="${wikiFormLink(root, access, "_new")}">${icon(visit, "plus")}New page</a>`
    : null;
  const deletion =
    forms && html`<hr><a href="${wikiPageLink(root, access, "_delete", path)}">${icon(visit, "trash-2")}Delete</a>`;
  return html`<a class="button" rel="nofollow" href="${wikiPageLink(root, access, "_history", path)}">${icon(visit, "history")}History</a>${forms}<button type="button" class="button icon" popovertarget="wiki-menu" aria-label="More">${icon(visit, "ellipsis")}</button><div class="menu" id="wiki-menu" popover><a href="${wikiFormLink(root, access, "_pages")}">${icon(visit, "list")}All pages</a><a rel="nofollow" href="${wikiFormLink(root, access, "_pages/history")}">${icon(visit, "history")}History of the wiki</a><a rel="nofollow" href="${wikiLink(root, access)}/raw/${encodeURIComponent(path)}.md">${icon(visit, "file")}As it is written</a>${deletion}</div>`;
}

/** What stands beside a page: its headings, what the wiki says beside all, and the other pages. */
async function beside(
  forge: Forge,
  visit: Visit,
  access: RepositoryAccess,
  opened: WikiPages,
  { page, sidebar }: Pick<ReadPage, "page" | "sidebar">,
  document: Html,
): Promise<Html> {
  const { root } = visit;
  const mayWrite = offers(visit, writesWiki);
  const headings = outlineLinks(document);
  const others = opened.pages.filter(({ title }) => !besideEvery.includes(title as (typeof besideEvery)[number]));
  const links = others
    .slice(0, shownPages)
    .map(
      ({ title, path }) =>
        html`<a href="${wikiLink(root, access, path)}"${path === page.path && html` aria-current="page"`}><span class="cut" dir="auto">${title || path}</span></a>`,
    );
  const edit = (title: string, words: string) =>
    mayWrite
      ? html`<a class="small" href="${opened.pages.some((one) => one.title === title) ? wikiPageLink(root, access, "_edit", title) : `${wikiFormLink(root, access, "_new")}?title=${title}`}">${words}</a>`
      : null;
  return html`<aside class="side wiki-side" aria-label="Wiki">
    ${headings !== null && html`<section><h2>On this page</h2><nav class="nav levels" aria-label="Outline">${headings}</nav></section>`}
    ${sidebar === null ? edit("_Sidebar", "Add a text beside all pages") : html`<section><div class="split"><h2 class="sr">Sidebar</h2>${edit("_Sidebar", "Edit the sidebar")}</div>${await renderPage(forge, visit, access, opened, sidebar)}</section>`}
    <section><div class="split"><h2>Pages</h2><a class="small" href="${wikiFormLink(root, access, "_pages")}">All ${others.length}</a></div><nav class="nav" aria-label="Pages">${links}</nav></section>
    <section><h2>Clone</h2>${cloneLine(forge, visit, access)}</section></aside>`;
}

/** Where there is no page: the way to write it. */
function missing(visit: Visit, access: RepositoryAccess, opened: WikiPages | null, name: string): Page {
  const title = clip(pageAtPath(name).title, 200);
  const near = nearNames(
    title,
    (opened?.pages ?? []).map((one) => one.title),
  );
  const query = new URLSearchParams({ title }).toString();
  const next = offers(visit, writesWiki)
    ? html`<p><a class="button main" href="${wikiFormLink(visit.root, access, "_new")}?${query}">${icon(visit, "plus")}Write it</a></p>`
    : null;
  const links = near.map((one) => html`<li><a href="${wikiLink(visit.root, access, one)}" dir="auto">${one}</a></li>`);
  return {
    status: 404,
    title: "No such page",
    place: { tab: "wiki" },
    body: html`<div class="empty">${icon(visit, "book-open")}<h1>There is no such page</h1><p>The wiki has no page “<span dir="auto">${title}</span>”. <a href="${wikiFormLink(visit.root, access, "_pages")}">See all pages</a></p>${next}${links.length > 0 && html`<p>Is it one of these?</p><ul>${links}</ul>`}</div>`,
  };
}

/** The pages of a wiki as they read, and its other files as bytes. */
export function wikiPages(forge: Forge, page: DeclarePage): PageRoute[] {
  async function show(
    visit: Visit,
    access: RepositoryAccess,
    opened: WikiPages,
    read: ReadPage,
    at: string,
  ): Promise<Page> {
    const { title, path } = read.page;
    const { author } = read.lastCommit;
    const users = await forge.findUsersByEmail([author.email], visit);
    const isPart = title.startsWith("_");
    const [document, footer] = await Promise.all([
      renderPage(forge, visit, access, opened, read.content),
      isPart || read.footer === null ? null : renderPage(forge, visit, access, opened, read.footer),
    ]);
    const when = new Date(author.seconds * 1000);
    const former =
      at === ""
        ? null
        : note(
            visit,
            "info",
            html`This is the page as it was ${ago(visit, when)}. <a href="${wikiLink(visit.root, access, path)}">See how it is</a>${offers(visit, writesWiki) && html`, or <a href="${wikiPageLink(visit.root, access, "_edit", path)}?restore=${at}">bring this text back</a>`}.`,
          );
    return {
      title: `${title} · ${access.owner.name}/${access.repository.name}`,
      place: { tab: "wiki" },
      body: html`${former}<div class="title"><div class="split flow"><h1 class="grow" dir="auto">${title}</h1><div class="line flow"><span class="wiki-outline">${outline(visit, document)}</span>${tools(visit, access, path)}</div></div>
        <p class="line soft">${committed(visit, users.find(author.email), author.name)} changed it ${ago(visit, when)}</p></div>
        <div class="columns"><div class="stack">${document}${footer !== null && html`<footer class="wiki-foot soft" aria-label="Footer">${footer}</footer>`}</div>${await beside(forge, visit, access, opened, isPart ? { ...read, sidebar: null } : read, document)}</div>`,
    };
  }

  /** The page for a wiki in which nothing was written yet. */
  function guide(visit: Visit, access: RepositoryAccess): Page {
    const first = `${wikiFormLink(visit.root, access, "_new")}?title=${firstPage}`;
    const next = offers(visit, writesWiki)
      ? html`The first one is ${firstPage}. <a href="${first}">Write it here</a>, or push a file <code>${firstPage}.md</code> to the address below.`
      : html`The first one is the file <code>${firstPage}.md</code> of the repository below.`;
    return {
      title: `Wiki · ${access.owner.name}/${access.repository.name}`,
      place: { tab: "wiki" },
      body: html`<h1 class="sr">Wiki</h1>${empty(visit, "book-open", "The wiki has no pages yet", next)}<div class="wiki-clone">${cloneLine(forge, visit, access)}</div>`,
    };
  }

  /** A file that git put into a folder, as a page that reads. */
  async function folderPage(
    visit: Visit,
    access: RepositoryAccess,
    opened: WikiPages,
    path: string,
  ): Promise<Page | null> {
    const found = await findFolderPage(forge, opened, path);
    if (found === null) {
      return null;
    }
    const document = await renderPage(forge, visit, access, opened, found.bytes);
    return {
      title: `${found.path} · ${access.owner.name}/${access.repository.name}`,
      place: { tab: "wiki" },
      body: html`<div class="title"><h1 dir="auto">${found.path.slice(0, -".md".length)}</h1><p class="soft">A page in a folder. It is changed with git.</p></div>
        <div class="columns"><div class="stack">${document}</div>${await beside(forge, visit, access, opened, { page: pageAtPath(path), sidebar: null }, document)}</div>`,
    };
  }

  async function at(visit: Visit, access: RepositoryAccess, rest: string): Promise<Page | Redirect | Response> {
    const { query } = visit;
    const action = actions[query.get("action") ?? ""];
    if (action !== undefined) {
      return new Redirect(action(visit, access, rest));
    }
    if (rest === "search" && query.has("q")) {
      const words = new URLSearchParams({ q: query.get("q") ?? "" }).toString();
      return new Redirect(`${wikiFormLink(visit.root, access, "_pages")}?${words}`);
    }
    const revision = query.get("at") ?? "";
    const { opened } = await openWikiAt(forge, access, revision);
    if (opened !== null && rest.startsWith(rawPrefix)) {
      const path = rest.slice(rawPrefix.length);
      const named = findPage(opened, path)?.file ?? path;
      const file = path === "" ? null : await forge.git.contents.findFile(opened.view, opened.commit, named);
      return rawFile(forge, visit, opened.view, file, path);
    }
    const found = opened === null ? null : findPage(opened, rest);
    if (opened === null || found === null) {
      const folder = opened === null ? null : await folderPage(visit, access, opened, rest);
      const file =
        opened === null || folder !== null ? null : await forge.git.contents.findFile(opened.view, opened.commit, rest);
      return file?.type === "blob"
        ? new Redirect(wikiFormLink(visit.root, access, "raw", rest))
        : (folder ?? missing(visit, access, opened, rest));
    }
    const read = await readPageAt(forge, opened, found, visit.request.signal);
    return show(visit, access, opened, read, revision);
  }

  return [
    page("GET", "/:owner/:repo/wiki", readsWiki, async ({ visit, repository: access }) => {
      if (visit.query.has("action")) {
        return at(visit, access, "");
      }
      const { opened } = await openWikiAt(forge, access);
      const found = opened?.pages.find(({ path }) => path === firstPage);
      if (opened === null || opened.pages.length === 0) {
        return guide(visit, access);
      }
      return found === undefined
        ? new Redirect(wikiFormLink(visit.root, access, "_pages"))
        : show(visit, access, opened, await readPageAt(forge, opened, found, visit.request.signal), "");
    }),
    page("GET", "/:owner/:repo/wiki/*", readsWiki, ({ visit, repository: access }) =>
      at(visit, access, visit.params["*"] ?? ""),
    ),
  ];
}
