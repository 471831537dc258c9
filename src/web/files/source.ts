import type { RepositoryAccess } from "../../auth/subject.ts";
import { findPointedContent } from "../../domain/git/lfs/find-content.ts";
import type { Revision } from "../../domain/git/refs/revisions.ts";
import { NotFound } from "../../domain/spine/errors.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { addMenu } from "../edit/add-menu.ts";
import { html, type Html } from "../html.ts";
import { sourceLink, type SourceView } from "../links.ts";
import { readsCode, type DeclarePage, type PageRoute } from "../pages.ts";
import { copyButton } from "../parts/copy.ts";
import { icon } from "../parts/icon.ts";
import type { Page } from "../respond.ts";
import { findSource } from "../repos/find-source.ts";
import { mayChange } from "../repos/may-change.ts";
import { rawFile } from "../repos/raw-file.ts";
import { readFewRefs, refMenu } from "../repos/ref-menu.ts";
import { trail } from "../repos/trail.ts";
import type { Visit } from "../visit.ts";
import { blamePanel } from "./blame.ts";
import { directoryPanel } from "./directory-panel.ts";
import { filePanel } from "./file-panel.ts";
import { fileTree } from "./file-tree.ts";
import { missingPath, missingRef } from "./missing.ts";
import type { ShownFile } from "./open-file.ts";

const readsBytes = { ...readsCode, frameless: true } as const;
const readPast = { ...readsCode, past: true } as const;

/** The tools above a path: the way to it, its name to copy, and the search for another file. */
function tools(visit: Visit, access: RepositoryAccess, revision: Revision, path: string, more: Html | null): Html {
  return html`${trail(visit, access, revision, path)}${path !== "" && copyButton(visit, path, { label: "Copy the path", isSmall: true })}<span class="grow"></span>${more}
    <a class="button not-narrow" data-key="t" rel="nofollow" href="${sourceLink(visit.root, access, revision, "", "find")}">${icon(visit, "search")}Go to file<kbd aria-hidden="true">t</kbd></a>`;
}

/** Files and directories, as pages and as bytes. */
export function sourcePages(forge: Forge, page: DeclarePage): PageRoute[] {
  /** The page of a file, whose panel is drawn by `draw`. */
  async function filePage(shown: ShownFile, view: SourceView, draw: typeof filePanel): Promise<Page> {
    const { visit, access, revision, file } = shown;
    const [refs, tree, panel] = await Promise.all([
      readFewRefs(forge, access),
      fileTree(forge, visit, access, revision, file.path),
      draw(forge, shown),
    ]);
    return {
      title: `${file.path} · ${access.owner.name}/${access.repository.name}`,
      place: { tab: "code", width: "wide" },
      body: html`<div class="columns tree"><aside class="beside">${refMenu(visit, access, revision, file.path, refs, view)}${tree}</aside>
        <div><div class="tools">${tools(visit, access, revision, file.path, null)}</div>${panel}</div></div>`,
    };
  }

  async function directoryPage(
    visit: Visit,
    access: RepositoryAccess,
    revision: Revision,
    path: string,
  ): Promise<Page | null> {
    const [refs, panel] = await Promise.all([
      readFewRefs(forge, access),
      directoryPanel(forge, visit, access, revision, path),
    ]);
    const permanent = sourceLink(visit.root, access, { kind: "commit", name: revision.commit }, path);
    const mayAdd = revision.kind === "branch" && mayChange(visit, access);
    const more = html`<a class="button not-narrow" data-key="y" href="${permanent}">Permalink<kbd aria-hidden="true">y</kbd></a>${mayAdd && addMenu(visit, access, revision.name, path)}`;
    return (
      panel && {
        title: `${path === "" ? revision.name : path} · ${access.owner.name}/${access.repository.name}`,
        place: { tab: "code" },
        body: html`<div class="tools">${refMenu(visit, access, revision, path, refs)}${tools(visit, access, revision, path, more)}</div>${panel}`,
      }
    );
  }

  /** The bytes of a file; `followPointers`: of what it stands for in LFS, if the repository has that. */
  async function bytes(visit: Visit, access: RepositoryAccess, followPointers: boolean): Promise<Response> {
    const rest = visit.params["*"] ?? "";
    const source = await findSource(forge, access.repository, rest);
    if (source === null) {
      throw new NotFound("file", rest);
    }
    const { revision, path } = source;
    const { view, commit } = revision;
    const file = path === "" ? null : await forge.git.contents.findFile(view, commit, path);
    const stored = file !== null && followPointers ? await findPointedContent(forge, access.repository.id, file) : null;
    return rawFile(forge, visit, view, file, path, stored);
  }

  return [
    page("GET", "/:owner/:repo/src/*", readsCode, async ({ visit, repository: access }) => {
      const rest = visit.params["*"] ?? "";
      const source = await findSource(forge, access.repository, rest);
      if (source === null) {
        return missingRef(forge, visit, access, rest);
      }
      const { revision, path } = source;
      const file = path === "" ? null : await forge.git.contents.findFile(revision.view, revision.commit, path);
      return file !== null && file.type !== "tree"
        ? filePage({ visit, access, revision, file }, "src", filePanel)
        : ((await directoryPage(visit, access, revision, path)) ?? missingPath(forge, visit, access, revision, path));
    }),
    page("GET", "/:owner/:repo/blame/*", readPast, async ({ visit, repository: access }) => {
      const rest = visit.params["*"] ?? "";
      const source = await findSource(forge, access.repository, rest);
      if (source === null) {
        return missingRef(forge, visit, access, rest, "blame");
      }
      const { revision, path } = source;
      const file = path === "" ? null : await forge.git.contents.findFile(revision.view, revision.commit, path);
      return file === null || file.type === "tree"
        ? missingPath(forge, visit, access, revision, path, "blame")
        : filePage({ visit, access, revision, file }, "blame", blamePanel);
    }),
    page("GET", "/:owner/:repo/raw/*", readsBytes, async ({ visit, repository: access }) =>
      bytes(visit, access, false),
    ),
    page("GET", "/:owner/:repo/media/*", readsBytes, async ({ visit, repository: access }) =>
      bytes(visit, access, true),
    ),
  ];
}
