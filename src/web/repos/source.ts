import type { RepositoryAccess } from "../../auth/subject.ts";
import { NotFound } from "../../domain/spine/errors.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { findPointedContent } from "../../domain/git/lfs/find-content.ts";
import type { Revision } from "../../domain/git/refs/revisions.ts";
import { html, type Html } from "../html.ts";
import { sourceLink } from "../links.ts";
import type { DeclarePage, PageRoute } from "../pages.ts";
import { copyButton } from "../parts/copy.ts";
import { icon } from "../parts/icon.ts";
import { pager, sliceOf } from "../parts/pager.ts";
import type { Visit } from "../visit.ts";
import { commitLine, fileTable, readDirectory, shownEntries } from "./directory.ts";
import { filePanel } from "./file-panel.ts";
import { findSource } from "./find-source.ts";
import { rawFile } from "./raw-file.ts";
import { readFewRefs, refMenu } from "./ref-menu.ts";
import { trail } from "./trail.ts";

const readCode = { may: { on: "repository", do: "read", unit: "code" } } as const;

/** Files and directories, as pages and as bytes. */
export function sourcePages(forge: Forge, page: DeclarePage): PageRoute[] {
  async function find(access: RepositoryAccess, rest: string) {
    const source = await findSource(forge, access.repository, rest);
    if (source === null) {
      throw new NotFound("file", rest);
    }
    return source;
  }

  async function directoryPage(
    visit: Visit,
    access: RepositoryAccess,
    revision: Revision,
    path: string,
  ): Promise<Html> {
    const at = sliceOf(visit.query, shownEntries);
    const directory = await readDirectory(forge, visit, revision, path, at.offset);
    if (directory === null) {
      throw new NotFound("file", path);
    }
    return html`<div class="panel edge"><div class="head">${commitLine(visit, access, directory.head, directory.authors)}</div>
      ${fileTable(visit, access, revision, directory)}</div>
      ${pager(visit, sourceLink(visit.root, access, revision, path), visit.query, at, directory.total)}`;
  }

  /** The bytes of a file; `followPointers`: of what it stands for in LFS, if the repository has that. */
  async function bytes(visit: Visit, access: RepositoryAccess, followPointers: boolean): Promise<Response> {
    const { revision, path } = await find(access, visit.params["*"] ?? "");
    const { view, commit } = revision;
    const file = path === "" ? null : await forge.git.contents.findFile(view, commit, path);
    const stored = file !== null && followPointers ? await findPointedContent(forge, access.repository.id, file) : null;
    return rawFile(forge, visit, view, file, path, stored);
  }

  return [
    page("GET", "/:owner/:repo/src/*", readCode, async ({ visit, repository: access }) => {
      const { revision, path } = await find(access, visit.params["*"] ?? "");
      const file = path === "" ? null : await forge.git.contents.findFile(revision.view, revision.commit, path);
      const isFile = file !== null && file.type !== "tree";
      const [refs, shown] = await Promise.all([
        readFewRefs(forge, access),
        isFile ? filePanel(forge, visit, access, revision, file) : directoryPage(visit, access, revision, path),
      ]);
      const permanent = sourceLink(visit.root, access, { kind: "commit", name: revision.commit }, path);
      return {
        title: `${path === "" ? revision.name : path} · ${access.owner.name}/${access.repository.name}`,
        place: { tab: "code", ...(isFile ? { width: "wide" as const } : {}) },
        body: html`<div class="tools">${refMenu(visit, access, revision, path, refs)}${trail(visit, access, revision, path)}
          ${path !== "" && copyButton(visit, path, { label: "Copy the path", isSmall: true })}<span class="grow"></span>
          <a class="button" href="${sourceLink(visit.root, access, revision, path, "commits")}">${icon(visit, "history")}History</a>
          <a class="button" data-key="y" href="${permanent}">Permalink<kbd>y</kbd></a></div>${shown}`,
      };
    }),
    page("GET", "/:owner/:repo/raw/*", readCode, async ({ visit, repository: access }) => bytes(visit, access, false)),
    page("GET", "/:owner/:repo/media/*", readCode, async ({ visit, repository: access }) => bytes(visit, access, true)),
  ];
}
