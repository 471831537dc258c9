import { Type } from "typebox";
import { mergeEdit } from "../../domain/work/edits/merge-edit.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import type { FileChange } from "../../git/edit/apply-changes.ts";
import { fits } from "../../lib/schema.ts";
import { html } from "../html.ts";
import { editLink } from "../links.ts";
import type { DeclarePage, PageRoute } from "../pages.ts";
import { counted } from "../parts/size.ts";
import type { Page } from "../respond.ts";
import { carryOut, commitPanel, refuse, tellAll, type Sending } from "./commit-form.ts";
import { openEditing, type Editing } from "./editing.ts";
import { editHead, nowherePage } from "./head.ts";
import { changeOf, opens, sends } from "./text.ts";
import { readEdited } from "./text-file.ts";
import { readIndent } from "./text-page.ts";
import type { Told } from "./told.ts";

/** Files that were edited one after another, as the script of the editor keeps them: `from` is empty for a new one. */
const SetOfFiles = Type.Array(
  Type.Object({
    from: Type.String({ maxLength: 4096 }),
    path: Type.String({ maxLength: 4096 }),
    text: Type.String(),
    seen: Type.String({ maxLength: 64 }),
  }),
  { minItems: 1, maxItems: 100 },
);

/** Commits several edited files at once. */
export function setPages(forge: Forge, page: DeclarePage): PageRoute[] {
  async function changeOfOne(
    editing: Editing,
    { from, path, text, seen }: { from: string; path: string; text: string; seen: string },
  ): Promise<FileChange> {
    const { access, revision } = editing;
    const one = { ...editing, path: from };
    const typed = { path, text: text.replaceAll(/\r\n?/g, "\n"), show: "edit" } as const;
    const file = from === "" ? null : await readEdited(forge, one);
    const isThere = file !== null && file.text !== null && revision !== null;
    const merged = isThere
      ? await mergeEdit(forge, access.repository, { seen, tip: revision, path: from, typed: typed.text })
      : null;
    if (from !== "" && merged?.kind !== "unchanged") {
      refuse("", `Somebody else changed "${from}" while you edited it. Open it again, and add it to the set anew.`);
    }
    return changeOf(one, from === "" ? "_new" : "_edit", file, typed, await readIndent(forge, one, path));
  }

  async function planOf(editing: Editing): Promise<Sending> {
    const files = parse(editing.visit.form.text("changes"));
    if (!fits(SetOfFiles, files)) {
      refuse("", "The set has no files, or more than 100.");
    }
    const changes: FileChange[] = [];
    for (const file of files) {
      changes.push(await changeOfOne(editing, file));
    }
    return { usual: `Change ${counted(files.length, "file")}`, changes, path: "" };
  }

  return [
    page("GET", "/:owner/:repo/_changes/*", opens, async (given) => {
      const editing = await openEditing(forge, given);
      return editing.plan.to === null ? nowherePage(editing, "Commit several files") : setPage(editing, null);
    }),
    page("POST", "/:owner/:repo/_changes/*", sends, async (given) => {
      const editing = await openEditing(forge, given);
      return carryOut(
        forge,
        editing,
        () => planOf(editing),
        (told) => setPage(editing, told?.field === "tree_path" ? { ...told, field: "" } : told),
      );
    }),
  ];
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function setPage(editing: Editing, told: Told | null): Page {
  const { visit, access, branch, revision } = editing;
  return {
    status: told?.status ?? 200,
    title: `Commit several files · ${access.owner.name}/${access.repository.name}`,
    place: { tab: "code" },
    scripts: ["editor"],
    body: html`${editHead(editing, "Commit several files")}${tellAll(editing, told)}
      <form class="stack" method="post" action="${editLink(visit.root, access, "_changes", branch)}" enctype="multipart/form-data" data-set>${visit.formField()}<input type="hidden" name="last_commit" value="${revision?.commit ?? ""}"><input type="hidden" name="changes" value="${visit.form.text("changes")}">
      <section class="panel edge" aria-label="Files"><ul class="rows"><li class="soft">No files are in the set. The page of each file that you edit adds it, if its script runs; without, each file is a commit of its own.</li></ul></section>
      ${commitPanel(editing, { action: "Commit the files", usual: "Change the files", told })}</form>`,
  };
}
