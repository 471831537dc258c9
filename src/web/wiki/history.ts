import type { RepositoryAccess } from "../../auth/subject.ts";
import { pageAtPath, pageOfFile } from "../../domain/repos/wiki/page-name.ts";
import { findPage, listCommits } from "../../domain/repos/wiki/read-pages.ts";
import { NotFound } from "../../domain/spine/errors.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import type { CommitRecord } from "../../git/log/commit-record.ts";
import { clip } from "../../lib/show-value.ts";
import { diffView } from "../code/diff-view.ts";
import { readDiff, type DiffEnd } from "../code/read-diff.ts";
import { patchResponse } from "../commit/patch-response.ts";
import { html, type Html } from "../html.ts";
import { wikiLink } from "../links.ts";
import { offers } from "../offers.ts";
import type { DeclarePage, PageRoute } from "../pages.ts";
import { copyButton } from "../parts/copy.ts";
import { icon } from "../parts/icon.ts";
import { empty } from "../parts/note.ts";
import { pager, sliceOf } from "../parts/pager.ts";
import { committed } from "../parts/person.ts";
import { ago } from "../parts/time.ts";
import { commitTitle } from "../repos/commit-title.ts";
import { Redirect, type Page } from "../respond.ts";
import type { Visit } from "../visit.ts";
import { getWikiCommit, openWikiAt, readsWiki, wikiFormLink, wikiPageLink, writesWiki } from "./open.ts";
import { cloneLine } from "./show.ts";

/** UTF-16 code units of a message. */
const shownMessage = 64 * 1024;
const readsPast = { ...readsWiki, past: true } as const;
const oidForm = /^[0-9a-f]{7,64}$/;

/** A page in lists of revisions. `isThere`: it was not deleted. */
interface ListedPage {
  readonly path: string;
  readonly file: string;
  readonly isThere: boolean;
}

/** One side of a diff, whose files have pages in the wiki. */
function wikiEnd(visit: Visit, access: RepositoryAccess, commit: string): DiffEnd {
  return {
    access,
    commit,
    addressOf(path, view) {
      const page = view === "src" && !path.includes("/") ? pageOfFile(path) : null;
      const address =
        page === null ? wikiFormLink(visit.root, access, "raw", path) : wikiLink(visit.root, access, page.path);
      return `${address}?at=${commit}`;
    },
  };
}

function compareAddress(visit: Visit, access: RepositoryAccess, from: string, to: string, file: string): string {
  const query = file === "" ? "" : `?${new URLSearchParams({ file }).toString()}`;
  return `${wikiFormLink(visit.root, access, "_compare")}/${from}...${to}${query}`;
}

/** The history of a wiki and of its pages: lists, single revisions, and two of them beside each other. */
export function wikiHistoryPages(forge: Forge, page: DeclarePage): PageRoute[] {
  async function rows(
    visit: Visit,
    access: RepositoryAccess,
    commits: readonly CommitRecord[],
    listed: ListedPage | null,
  ): Promise<Html[]> {
    const { root } = visit;
    const users = await forge.findUsersByEmail(
      commits.map(({ author }) => author.email),
      visit,
    );
    const mayWrite = listed !== null && offers(visit, writesWiki);
    return commits.map(({ oid, author, message }, index) => {
      const short = oid.slice(0, 10);
      const link = wikiFormLink(root, access, "commit", oid);
      const choice = (name: "from" | "to", isChosen: boolean) =>
        html`<input type="radio" name="${name}" value="${oid}" aria-label="${name === "from" ? "From" : "To"} ${short}"${isChosen && html` checked`}>`;
      const choices =
        listed === null || commits.length < 2
          ? null
          : html`<span class="line">${choice("from", index === 1)}${choice("to", index === 0)}</span>`;
      const restore =
        listed?.isThere === false
          ? `${wikiFormLink(root, access, "_new")}?${new URLSearchParams({ title: pageAtPath(listed.path).title, restore: oid }).toString()}`
          : `${wikiPageLink(root, access, "_edit", listed?.path ?? "")}?restore=${oid}`;
      const forms = mayWrite
        ? html`<hr>${listed?.isThere && html`<a href="${wikiPageLink(root, access, "_edit", listed.path)}?revert=${oid}">${icon(visit, "undo-2")}Take this change back</a>`}<a href="${restore}">${icon(visit, "history")}Bring this text back</a>`
        : null;
      const menu =
        listed === null
          ? null
          : html`<button type="button" class="button s bare icon" popovertarget="revision-${index}" aria-label="Actions for ${short}">${icon(visit, "ellipsis")}</button><div class="menu" id="revision-${index}" popover><a rel="nofollow" href="${wikiLink(root, access, listed.path)}?at=${oid}">${icon(visit, "eye")}The page as it was</a>${forms}</div>`;
      return html`<li>${choices}<div class="grow"><a class="plain" href="${link}" rel="nofollow" dir="auto"><b>${commitTitle(message)}</b></a><div class="line small soft">${committed(visit, users.find(author.email), author.name)} ${ago(visit, new Date(author.seconds * 1000))}</div></div><a class="oid not-narrow" href="${link}" rel="nofollow">${short}</a>${menu}</li>`;
    });
  }

  async function listPage(visit: Visit, access: RepositoryAccess, path: string | null): Promise<Page> {
    const { opened } = await openWikiAt(forge, access);
    const at = sliceOf(visit.query);
    const found = opened === null || path === null ? null : findPage(opened, path);
    const name = found ?? pageAtPath(path ?? "");
    const { rows: commits, total } =
      opened === null
        ? { rows: [], total: 0 }
        : await listCommits(forge, opened, path === null ? null : name.file, at, visit.request.signal);
    if (path !== null && total === 0) {
      throw new NotFound("wiki page", clip(path, 80));
    }
    const listed = path === null ? null : { path: name.path, file: name.file, isThere: found !== null };
    const list = await rows(visit, access, commits, listed);
    const address =
      path === null
        ? wikiFormLink(visit.root, access, "_pages/history")
        : wikiPageLink(visit.root, access, "_history", name.path);
    const title = path === null ? "History of the wiki" : `History of ${name.title}`;
    const shown =
      total === 0
        ? empty(visit, "history", "Nothing was written yet", null)
        : listed === null || commits.length < 2
          ? html`<ul class="panel edge rows links">${list}</ul>`
          : html`<form class="stack s" action="${wikiFormLink(visit.root, access, "_pages")}/compare"><input type="hidden" name="file" value="${listed.file}"><div class="tools"><span class="soft grow">Choose two revisions.</span><button class="button">${icon(visit, "git-compare")}Compare</button></div><ul class="panel edge rows links">${list}</ul></form>`;
    const link =
      listed === null
        ? html`<a class="button" href="${wikiFormLink(visit.root, access, "_pages")}">${icon(visit, "list")}All pages</a>`
        : listed.isThere
          ? html`<a class="button" href="${wikiLink(visit.root, access, listed.path)}">${icon(visit, "book-open")}The page</a>`
          : html`<span class="tag red">deleted</span>`;
    return {
      title: `${title} · ${access.owner.name}/${access.repository.name}`,
      place: { tab: "wiki" },
      body: html`<div class="tools"><h1 class="grow" dir="auto">${title}</h1>${link}</div>${shown}${pager(visit, address, visit.query, at, total)}${listed === null && html`<div class="wiki-clone">${cloneLine(forge, visit, access)}</div>`}`,
    };
  }

  async function commitPage(visit: Visit, access: RepositoryAccess, sha: string): Promise<Page | Response> {
    const { wiki } = await openWikiAt(forge, access);
    const [, oid = "", ending] = /^([0-9a-f]{7,64})(\.diff|\.patch)?$/.exec(sha) ?? [];
    const revision = await getWikiCommit(forge, wiki, oid);
    if (ending !== undefined) {
      return patchResponse(forge, visit, revision, ending === ".patch");
    }
    const { view } = revision;
    const commit = await forge.git.commits.get(view, revision.commit);
    const [parent] = commit.parents;
    const [users, diff] = await Promise.all([
      forge.findUsersByEmail([commit.author.email], visit),
      readDiff(forge, visit, {
        view,
        before: parent === undefined ? null : wikiEnd(visit, access, parent),
        after: wikiEnd(visit, access, commit.oid),
      }),
    ]);
    const subject = commitTitle(commit.message);
    const rest = clip(commit.message, shownMessage).slice(subject.length).trim();
    const link = wikiFormLink(visit.root, access, "commit", commit.oid);
    return {
      title: `${subject} · ${access.owner.name}/${access.repository.name}`,
      place: { tab: "wiki", width: "wide" },
      body: html`<div class="title"><h1 dir="auto">${subject}</h1>${rest !== "" && html`<p class="message soft" dir="auto">${rest}</p>`}
        <div class="line flow">${committed(visit, users.find(commit.author.email), commit.author.name)} <span class="soft">changed the wiki</span> ${ago(visit, new Date(commit.author.seconds * 1000))}<span class="grow"></span>${parent !== undefined && html`<span class="soft">before: <a class="oid" rel="nofollow" href="${wikiFormLink(visit.root, access, "commit", parent)}">${parent.slice(0, 10)}</a></span>`}<span class="line"><code class="small">${commit.oid.slice(0, 10)}</code>${copyButton(visit, commit.oid, { label: "Copy the id of the revision", isSmall: true })}</span><a class="button s" href="${link}.patch" rel="nofollow">As a patch</a><a class="button s" href="${link}.diff" rel="nofollow">As a diff</a></div></div>${diffView(visit, diff)}`,
    };
  }

  return [
    page("GET", "/:owner/:repo/wiki/_pages/history", readsPast, ({ visit, repository }) =>
      listPage(visit, repository, null),
    ),
    page("GET", "/:owner/:repo/wiki/_pages/compare", readsPast, ({ visit, repository: access }) => {
      const [from, to, file] = ["from", "to", "file"].map((name) => visit.query.get(name) ?? "") as [
        string,
        string,
        string,
      ];
      if (![from, to].every((oid) => oidForm.test(oid))) {
        throw new NotFound("revision", clip(from, 80));
      }
      return new Redirect(compareAddress(visit, access, from, to, file));
    }),
    page("GET", "/:owner/:repo/wiki/_history/*", readsPast, ({ visit, repository }) =>
      listPage(visit, repository, visit.params["*"] ?? ""),
    ),
    page("GET", "/:owner/:repo/wiki/commit/:sha", readsPast, ({ visit, repository }) =>
      commitPage(visit, repository, visit.params["sha"] ?? ""),
    ),
    page("GET", "/:owner/:repo/wiki/_compare/:range", readsPast, async ({ visit, repository: access }) => {
      const [from = "", to = ""] = (visit.params["range"] ?? "").split("...");
      const { wiki } = await openWikiAt(forge, access);
      const [before, after] = [await getWikiCommit(forge, wiki, from), await getWikiCommit(forge, wiki, to)];
      const diff = await readDiff(forge, visit, {
        view: after.view,
        before: wikiEnd(visit, access, before.commit),
        after: wikiEnd(visit, access, after.commit),
      });
      const side = (oid: string) =>
        html`<a class="oid" rel="nofollow" href="${wikiFormLink(visit.root, access, "commit", oid)}">${oid.slice(0, 10)}</a>`;
      const swapped = compareAddress(visit, access, after.commit, before.commit, visit.query.get("file") ?? "");
      return {
        title: `Compare revisions · ${access.owner.name}/${access.repository.name}`,
        place: { tab: "wiki", width: "wide" },
        body: html`<div class="tools"><h1 class="grow">Compare revisions</h1><span class="line">${side(before.commit)} → ${side(after.commit)}</span><a class="button s" rel="nofollow" href="${swapped}">${icon(visit, "arrow-left-right")}Swap</a></div>${diffView(visit, diff)}`,
      };
    }),
  ];
}
