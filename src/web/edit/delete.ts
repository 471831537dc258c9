import { NotFound } from "../../domain/spine/errors.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { ContentMismatch } from "../../domain/git/contents/errors.ts";
import type { FileChange } from "../../git/edit/apply-changes.ts";
import type { RepositoryView } from "../../git/job/repository-view.ts";
import type { ListTreeResult } from "../../git/operations/list-tree.ts";
import { html, type Html } from "../html.ts";
import { editLink } from "../links.ts";
import type { DeclarePage, PageRoute } from "../pages.ts";
import { icon } from "../parts/icon.ts";
import { counted, wholeNumber } from "../parts/size.ts";
import type { Page } from "../respond.ts";
import { carryOut, commitPanel, refuse, tellAll, type Sending } from "./commit-form.ts";
import { openEditing, type Editing } from "./editing.ts";
import { editHead, nowherePage } from "./head.ts";
import { opens, sends } from "./text.ts";
import type { Told } from "./told.ts";

/** A commit of more files takes long, and so does telling of each. Git deletes more. */
const mostFiles = 1000;
const shownFiles = 20;

/** What is deleted: one file, or all of a folder. */
interface Doomed {
  readonly oid: string;
  readonly isFolder: boolean;
  readonly files: readonly { readonly path: string; readonly oid: string }[];
  readonly total: number;
}

/** Deletes a file, or a folder with all that is in it. */
export function deletePages(forge: Forge, page: DeclarePage): PageRoute[] {
  async function find(view: RepositoryView, commit: string, path: string): Promise<Doomed | null> {
    const item = path === "" ? null : await forge.git.contents.findFile(view, commit, path);
    if (item === null) {
      return null;
    }
    if (item.type !== "tree") {
      return { oid: item.oid, isFolder: false, files: [item], total: 1 };
    }
    // Folders are among what is listed: so many more are read.
    const listed: ListTreeResult | null = await forge.git.engine.call(view, "listTree", {
      commit,
      path,
      recursive: true,
      lastCommits: false,
      skip: 0,
      limit: 4 * mostFiles,
    });
    const files = (listed?.entries ?? []).filter(({ type }) => type !== "tree");
    const isWhole = listed !== null && listed.entries.length === listed.total;
    return { oid: item.oid, isFolder: true, files, total: isWhole ? files.length : Number.POSITIVE_INFINITY };
  }

  async function open(editing: Editing): Promise<Doomed> {
    const { revision, path } = editing;
    const doomed = revision === null ? null : await find(revision.view, revision.commit, path);
    if (doomed === null) {
      throw new NotFound("file", path);
    }
    return doomed;
  }

  function planOf(editing: Editing, { oid, isFolder, total }: Doomed): Sending {
    const { visit, path } = editing;
    if (visit.form.text("seen") !== oid) {
      refuse("", `"${path}" has changed since you opened this page. Look at what would be deleted now`);
    }
    if (total > mostFiles) {
      refuse("", `The folder has more than ${wholeNumber(mostFiles)} files. Delete it with git`);
    }
    const parent = path.includes("/") ? path.slice(0, path.lastIndexOf("/")) : "";
    return {
      usual: usual(path, isFolder, total),
      path: parent,
      changes: async ({ view, commit }) => {
        const now = commit === null ? null : await find(view, commit, path);
        if (now?.oid !== oid) {
          throw new ContentMismatch(`"${path}" has changed in the meantime`, path, "changed");
        }
        return now.files.map((file) => ({
          operation: "delete",
          path: file.path,
          fromPath: null,
          bytes: null,
          mode: null,
          expectedOid: file.oid,
        })) satisfies FileChange[];
      },
    };
  }

  return [
    page("GET", "/:owner/:repo/_delete/*", opens, async (given) => {
      const editing = await openEditing(forge, given);
      const doomed = await open(editing);
      return editing.plan.to === null ? nowherePage(editing, "Delete") : deletePage(editing, doomed, null);
    }),
    page("POST", "/:owner/:repo/_delete/*", sends, async (given) => {
      const editing = await openEditing(forge, given);
      const doomed = await open(editing);
      return carryOut(
        forge,
        editing,
        async () => planOf(editing, doomed),
        (told) => deletePage(editing, doomed, told),
      );
    }),
  ];
}

function usual(path: string, isFolder: boolean, total: number): string {
  const shown = path.replaceAll(/[\r\n]+/g, " ");
  return isFolder ? `Delete ${shown}/ (${counted(total, "file")})` : `Delete ${shown}`;
}

function deletePage(editing: Editing, { oid, isFolder, files, total }: Doomed, told: Told | null): Page {
  const { visit, access, branch, path } = editing;
  const what = isFolder ? "Delete the folder" : "Delete the file";
  const isTooMany = total > mostFiles;
  return {
    status: told?.status ?? 200,
    title: `${what} ${path} · ${access.owner.name}/${access.repository.name}`,
    place: { tab: "code" },
    body: html`${editHead(editing, what)}${tellAll(editing, told)}
      <form class="stack" method="post" action="${editLink(visit.root, access, "_delete", branch, path)}">${visit.formField()}<input type="hidden" name="seen" value="${oid}">
      <section class="panel edge" aria-label="What is deleted"><header><span class="cut" dir="auto">${path}</span><span class="soft num">${isTooMany ? `more than ${wholeNumber(mostFiles)} files` : isFolder ? counted(total, "file") : null}</span></header>${list(editing, files)}</section>
      <p class="soft">The commits before keep what is deleted: it can be brought back from there.</p>
      ${isTooMany ? html`<p>So many files are deleted with git.</p>` : commitPanel(editing, { action: what, usual: usual(path, isFolder, total), told })}</form>`,
  };
}

function list({ visit }: Editing, files: Doomed["files"]): Html {
  const rows = files
    .slice(0, shownFiles)
    .map(({ path }) => html`<li>${icon(visit, "file")}<span dir="auto">${path}</span></li>`);
  const rest = files.length - rows.length;
  return html`<ul class="rows">${rows}${rest > 0 && html`<li class="soft">and ${wholeNumber(rest)} more</li>`}</ul>`;
}
