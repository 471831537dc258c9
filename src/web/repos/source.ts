import { NotFound } from "../../domain/errors.ts";
import type { Forge } from "../../domain/forge.ts";
import type { Revision } from "../../domain/refs/revisions.ts";
import { findPointedContent } from "../../domain/lfs/find-content.ts";
import type { RepositoryAccess } from "../../auth/subject.ts";
import type { FoundFile } from "../../domain/contents/content-reader.ts";
import { contentTypeOf } from "../../http/content-type-of.ts";
import { html, type Html } from "../html.ts";
import { commitLink, sourceLink } from "../links.ts";
import type { DeclarePage, PageRoute } from "../pages.ts";
import { fileSize } from "../parts.ts";
import type { Visit } from "../visit.ts";
import { renderDocument, textOf } from "./document.ts";
import { entryTable } from "./entry-table.ts";
import { findSource } from "./find-source.ts";
import { heading } from "./overview.ts";
import { rawFile } from "./raw-file.ts";

const listedEntries = 1000;
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

  async function content(visit: Visit, access: RepositoryAccess, revision: Revision, path: string): Promise<Html> {
    const { view, commit } = revision;
    const file = path === "" ? null : await forge.git.contents.findFile(view, commit, path);
    if (file !== null && file.type !== "tree") {
      return fileContent(visit, access, revision, file);
    }
    const tree = await forge.git.engine.call(
      view,
      "listTree",
      { commit, path, recursive: false, lastCommits: false, skip: 0, limit: listedEntries },
      visit.request.signal,
    );
    if (tree === null) {
      throw new NotFound("file", path);
    }
    return entryTable(visit.root, access, revision, tree);
  }

  async function fileContent(
    visit: Visit,
    access: RepositoryAccess,
    revision: Revision,
    file: FoundFile,
  ): Promise<Html> {
    const raw = html`<p><a href="${sourceLink(visit.root, access, revision, file.path, "raw")}">Raw file</a>${file.size === null ? null : html`, ${fileSize(file.size)}`}</p>`;
    if (file.type === "blob" && file.size !== null) {
      const type = await contentTypeOf(forge, revision.view, file, file.size);
      if (type.startsWith("image/")) {
        return html`${raw}<p><img class="picture" src="${sourceLink(visit.root, access, revision, file.path, "raw")}" alt="${file.name}"></p>`;
      }
    }
    const text = file.bytes === null ? null : textOf(file.bytes);
    if (file.type === "symlink") {
      return html`<p>A link to <code>${text ?? ""}</code></p>`;
    }
    return text === null
      ? html`${raw}<p>${file.bytes === null ? "This file is too large to be shown here." : "This file is not text."}</p>`
      : html`${raw}${await renderDocument(forge, visit, access, revision, file.path, text)}`;
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
      return {
        title: `${path === "" ? revision.name : path} · ${access.owner.name}/${access.repository.name}`,
        body: html`${heading(visit.root, access)}
          <h2>${trail(visit, access, revision, path)}</h2>
          <p>${revision.kind} <code>${revision.name}</code>, commit <a href="${commitLink(visit.root, access, revision.commit)}"><code>${revision.commit.slice(0, 10)}</code></a></p>
          ${await content(visit, access, revision, path)}`,
      };
    }),
    page("GET", "/:owner/:repo/raw/*", readCode, async ({ visit, repository: access }) => bytes(visit, access, false)),
    page("GET", "/:owner/:repo/media/*", readCode, async ({ visit, repository: access }) => bytes(visit, access, true)),
  ];
}

/** The directories above, each a link. */
function trail(visit: Visit, access: RepositoryAccess, revision: Revision, path: string): Html {
  const parts = path === "" ? [] : path.split("/");
  const links = parts.map((name, index) =>
    index === parts.length - 1
      ? html` / ${name}`
      : html` / <a href="${sourceLink(visit.root, access, revision, parts.slice(0, index + 1).join("/"))}">${name}</a>`,
  );
  return html`<a href="${sourceLink(visit.root, access, revision, "")}">${access.repository.name}</a>${links}`;
}
