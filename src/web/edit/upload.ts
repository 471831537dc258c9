import type { Forge } from "../../domain/spine/forge.ts";
import type { BranchTip } from "../../domain/git/contents/commit-files.ts";
import { FileMode } from "../../git/objects/tree.ts";
import type { FileChange } from "../../git/edit/apply-changes.ts";
import { trimOf } from "../../lib/trim-text.ts";
import { html } from "../html.ts";
import { editLink } from "../links.ts";
import type { DeclarePage, PageRoute } from "../pages.ts";
import { fileSize, wholeNumber } from "../parts/size.ts";
import { mostFiles } from "../read-parts.ts";
import type { Page } from "../respond.ts";
import { carryOut, commitPanel, refuse, tellAll, type Sending } from "./commit-form.ts";
import { openEditing, type Editing } from "./editing.ts";
import { editHead, nowherePage } from "./head.ts";
import { opens, sends } from "./text.ts";
import { invalid, problem, type Told } from "./told.ts";

/** Uploads files, or a folder with its files, in one commit. */
export function uploadPages(forge: Forge, page: DeclarePage): PageRoute[] {
  function uploadPage(editing: Editing, told: Told | null): Page {
    const { visit, access, branch, path } = editing;
    const { form } = visit;
    const folder = told === null ? path : form.text("folder");
    const limits = `At most ${wholeNumber(mostFiles)} files with ${fileSize(forge.config.api.content_limit_bytes)} together. A file that is there already is replaced.`;
    return {
      status: told?.status ?? 200,
      title: `Upload files · ${access.owner.name}/${access.repository.name}`,
      place: { tab: "code" },
      scripts: ["editor"],
      body: html`${editHead(editing, "Upload files")}${tellAll(editing, told)}
        <form class="stack" method="post" action="${editLink(visit.root, access, "_upload", branch, path)}" enctype="multipart/form-data">${visit.formField()}
        <div class="stack s"><label class="field" for="tree_path">Folder<input id="tree_path" name="folder" class="mono" value="${folder}" maxlength="4096" placeholder="The root of the repository" autocomplete="off" spellcheck="false"${invalid(told, "tree_path")}></label>${problem(told, "tree_path")}</div>
        <file-drop class="panel edge drop"><div class="body stack">
        <div class="line flow"><label class="field">Files<input type="file" name="files" multiple${invalid(told, "files")}></label>
        <label class="field">Or a folder<input type="file" name="files" webkitdirectory></label></div>${problem(told, "files")}
        <p class="soft small">${limits}${told !== null && " Choose the files again: a browser does not keep them."}</p></div></file-drop>
        ${commitPanel(editing, { action: "Commit the files", usual: "Upload files", told })}</form>`,
    };
  }

  return [
    page("GET", "/:owner/:repo/_upload/*", opens, async (given) => {
      const editing = await openEditing(forge, given);
      return editing.plan.to === null ? nowherePage(editing, "Upload files") : uploadPage(editing, null);
    }),
    page("POST", "/:owner/:repo/_upload/*", sends, async (given) => {
      const editing = await openEditing(forge, given);
      return carryOut(
        forge,
        editing,
        async () => planOf(forge, editing),
        (told) => uploadPage(editing, told),
      );
    }),
  ];
}

function planOf(forge: Forge, editing: Editing): Sending {
  const { form } = editing.visit;
  const folder = trimOf(form.text("folder"), "/");
  if (form.files.length === 0) {
    refuse("files", "Choose at least one file.");
  }
  const begin = folder === "" ? "" : `${folder}/`;
  const files: FileChange[] = form.files.map(({ name, content }) => ({
    operation: "put",
    path: begin + name,
    fromPath: null,
    bytes: content,
    mode: null,
    expectedOid: null,
  }));
  const names = new Set(files.map(({ path }) => path));
  if (names.size < files.length) {
    refuse("files", "Two of the files have the same path.");
  }
  const [first] = files;
  const usual = files.length === 1 ? `Upload ${first?.path ?? ""}` : `Upload ${files.length} files`;
  return {
    usual: usual.replaceAll(/[\r\n]+/g, " "),
    path: files.length === 1 ? (first?.path ?? "") : folder,
    changes: (tip) => Promise.all(files.map((file) => replaceLink(forge, tip, file))),
  };
}

/** A file takes the place of a symbolic link as a file. Otherwise it keeps the mode of the one that it replaces. */
async function replaceLink(forge: Forge, { view, commit }: BranchTip, file: FileChange): Promise<FileChange> {
  const present = commit === null ? null : await forge.git.contents.findFile(view, commit, file.path);
  return present?.type === "symlink" ? { ...file, mode: FileMode.file } : file;
}
