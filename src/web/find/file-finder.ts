import type { RepositoryAccess } from "../../auth/subject.ts";
import type { PathList } from "../../domain/git/contents/content-reader.ts";
import type { Revision } from "../../domain/git/refs/revisions.ts";
import { NotFound } from "../../domain/spine/errors.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { codingOf, encodeNow } from "../../http/content-coding.ts";
import { notModified } from "../../http/not-modified.ts";
import { clip } from "../../lib/show-value.ts";
import { markRanges } from "../code/mark-ranges.ts";
import { html, type Html } from "../html.ts";
import { repositoryLink, sourceLink } from "../links.ts";
import { readsCode, type DeclarePage, type PageRoute } from "../pages.ts";
import { icon } from "../parts/icon.ts";
import { empty, note } from "../parts/note.ts";
import { wholeNumber } from "../parts/size.ts";
import { findSource } from "../repos/find-source.ts";
import { readFewRefs, refMenu } from "../repos/ref-menu.ts";
import type { Page } from "../respond.ts";
import { cachingOf } from "../respond.ts";
import type { Visit } from "../visit.ts";
import { rankPaths } from "./rank-paths.ts";

/** The most files that are shown at once; the script shows as many (src/web/client/file-finder.ts). */
const shownFiles = 100;
const longestQuery = 200;
const shownPath = 500;

function found(visit: Visit, access: RepositoryAccess, revision: Revision, list: PathList, query: string): Html {
  const rows = rankPaths(list.paths, query, shownFiles).map(
    ({ path, ranges }) =>
      html`<li><a class="plain grow line" href="${sourceLink(visit.root, access, revision, path)}">${icon(visit, "file", "faint")}<span class="mono" dir="auto">${path.length > shownPath ? clip(path, shownPath) : markRanges(html`${path}`, ranges)}</span></a></li>`,
  );
  return rows.length === 0
    ? html`<li>${empty(visit, "search", "No such file", "No path has these letters in this order.")}</li>`
    : html`${rows}`;
}

/** What the script filters. It never changes for a commit. */
function listing(visit: Visit, { commit }: Revision, { paths }: PathList): Response {
  const headers: Record<string, string> = {
    "content-type": "application/json",
    "x-content-type-options": "nosniff",
    ...cachingOf(visit.isPrivate),
  };
  const known = notModified(visit.request, `"paths-${commit}"`, headers);
  if (known !== null) {
    return known;
  }
  const coding = codingOf(visit.request);
  const bytes = Buffer.from(JSON.stringify(paths));
  const body = (coding === null ? bytes : encodeNow(bytes, coding)) as Uint8Array<ArrayBuffer>;
  return new Response(body, {
    headers: {
      ...headers,
      vary: "Cookie, Accept-Encoding",
      ...(coding === null ? {} : { "content-encoding": coding }),
    },
  });
}

/** Finds files of a branch, tag or commit by parts of their paths. */
export function fileFinderPages(forge: Forge, page: DeclarePage): PageRoute[] {
  async function finder(visit: Visit, access: RepositoryAccess, revision: Revision, list: PathList): Promise<Page> {
    const query = (visit.query.get("q") ?? "").slice(0, longestQuery);
    const address = sourceLink(visit.root, access, revision, "", "find");
    const refs = await readFewRefs(forge, access);
    const search = `${repositoryLink(visit.root, access)}/search?${new URLSearchParams({ ref: revision.name }).toString()}`;
    const truncated = list.truncated && `Only the first ${wholeNumber(list.paths.length)} files are looked at`;
    return {
      title: `Find a file · ${access.owner.name}/${access.repository.name}`,
      place: { tab: "code" },
      headers: { "x-robots-tag": "noindex" },
      body: html`<h1 class="sr">Find a file</h1><div class="tools">${refMenu(visit, access, revision, "", refs, "find")}
        <form class="line grow" action="${address}" role="search" aria-label="Files"><div class="seek grow">${icon(visit, "search")}<input type="search" id="file-query" name="q" value="${query}" aria-label="Find a file" placeholder="Find a file" autocomplete="off" spellcheck="false" autofocus></div><button class="button">Find</button></form><a class="button" rel="nofollow" href="${search}">Search in files</a></div>
        ${note(visit, "info", truncated || null)}
        <file-finder data-paths="${address}?list=1" data-files="${sourceLink(visit.root, access, revision, "")}"><ul class="panel rows links edge found-files">${found(visit, access, revision, list, query)}</ul></file-finder>`,
    };
  }

  return [
    page("GET", "/:owner/:repo/find/*", readsCode, async ({ visit, repository: access }) => {
      const rest = visit.params["*"] ?? "";
      const source = await findSource(forge, access.repository, rest);
      if (source === null || source.path !== "") {
        throw new NotFound("file", rest);
      }
      const { revision } = source;
      const list = await forge.git.contents.listPaths(revision.view, revision.commit, visit.request.signal);
      return visit.query.has("list") ? listing(visit, revision, list) : finder(visit, access, revision, list);
    }),
  ];
}
