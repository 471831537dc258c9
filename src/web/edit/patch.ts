import { changesByPatch } from "../../domain/git/contents/commit-patch.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { html } from "../html.ts";
import { editLink } from "../links.ts";
import type { DeclarePage, PageRoute } from "../pages.ts";
import type { Page } from "../respond.ts";
import { carryOut, commitPanel, refuse, tellAll, type Sending } from "./commit-form.ts";
import { openEditing, type Editing } from "./editing.ts";
import { editHead, nowherePage } from "./head.ts";
import { opens, sends } from "./text.ts";
import { invalid, problem, type Told } from "./told.ts";

/** The longest patch that is taken here, as a file or typed. */
const mostBytes = 4 * 1024 * 1024;
const usual = "Apply a patch";

/** Applies a patch to the files of a branch, in one commit. */
export function patchPages(forge: Forge, page: DeclarePage): PageRoute[] {
  async function planOf(editing: Editing): Promise<Sending> {
    const { form } = editing.visit;
    const [file] = form.files;
    if (file !== undefined && file.content.size > mostBytes) {
      refuse("patch", "The patch has more than 4 MiB. Apply it with git.");
    }
    const patch = file === undefined ? Buffer.from(form.lines("patch")) : await Bun.file(file.content.path).bytes();
    if (patch.length === 0) {
      refuse("patch", "Paste a patch, or choose a file that has one.");
    }
    return { usual, changes: changesByPatch(forge, patch), path: "" };
  }

  return [
    page("GET", "/:owner/:repo/_diffpatch/*", opens, async (given) => {
      const editing = await openEditing(forge, given);
      return editing.plan.to === null ? nowherePage(editing, "Apply a patch") : patchPage(editing, null);
    }),
    page("POST", "/:owner/:repo/_diffpatch/*", sends, async (given) => {
      const editing = await openEditing(forge, given);
      return carryOut(
        forge,
        editing,
        () => planOf(editing),
        (told) => patchPage(editing, told?.field === "" && told.status === 422 ? { ...told, field: "patch" } : told),
      );
    }),
  ];
}

function patchPage(editing: Editing, told: Told | null): Page {
  const { visit, access, branch } = editing;
  return {
    status: told?.status ?? 200,
    title: `Apply a patch · ${access.owner.name}/${access.repository.name}`,
    place: { tab: "code" },
    scripts: ["editor"],
    body: html`${editHead(editing, "Apply a patch")}${tellAll(editing, told)}
      <form class="stack edit" method="post" action="${editLink(visit.root, access, "_diffpatch", branch)}" enctype="multipart/form-data" data-draft>${visit.formField()}
      <section class="panel edge" aria-labelledby="patch-title"><header><h2 id="patch-title">Patch</h2><span class="soft grow">what <code>git diff</code> or <code>git format-patch</code> print</span></header>
      <textarea class="code" id="patch" name="patch" rows="16" wrap="off" aria-labelledby="patch-title" spellcheck="false"${invalid(told, "patch")}>
${visit.form.text("patch")}</textarea></section>${problem(told, "patch")}
      <label class="field">Or a file with the patch, whose line endings stay as they are<input type="file" name="files"></label>
      ${commitPanel(editing, { action: "Apply the patch", usual, told })}</form>`,
  };
}
