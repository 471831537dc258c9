import { withEndingsOf } from "../../domain/git/contents/line-endings.ts";
import { mergeEdit } from "../../domain/work/edits/merge-edit.ts";
import { NotFound } from "../../domain/spine/errors.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import type { FileChange } from "../../git/edit/apply-changes.ts";
import { html } from "../html.ts";
import type { DeclarePage, PageRoute } from "../pages.ts";
import { note } from "../parts/note.ts";
import type { Page, Redirect } from "../respond.ts";
import { changesOf } from "./changes.ts";
import { addsConflictMarks } from "./conflict-marks.ts";
import { carryOut, refuse, type Sending } from "./commit-form.ts";
import { openEditing, type Editing } from "./editing.ts";
import { nowherePage } from "./head.ts";
import { largestText, readEdited, type EditedFile } from "./text-file.ts";
import { readIndent, textPage, usualSummary, type Typed } from "./text-page.ts";
import type { Told } from "./told.ts";

/** Who may read the code may write a change: where it is committed, the plan says, and the use case decides. */
export const opens = { may: { on: "repository", do: "read", unit: "code" }, signedIn: true } as const;
export const sends = { ...opens, longForm: true } as const;

/** Paths have no line breaks in a text field. */
const oneLine = (text: string) => text.replaceAll(/[\r\n]/g, "");

function readTyped({ visit: { form }, path }: Editing, file: EditedFile | null): Typed {
  const show = form.text("show");
  const typedPath = form.text("tree_path");
  return {
    path: oneLine(path) === typedPath ? path : typedPath,
    text: file !== null && file.text === null ? null : form.text("content").replaceAll(/\r\n?/g, "\n"),
    show: show === "preview" || show === "changes" ? show : "edit",
  };
}

/** New files and those that are edited: a page with their text, and what its form does. */
export function textPages(forge: Forge, page: DeclarePage): PageRoute[] {
  /** Looks whether somebody else changed the file meanwhile. Returns a page with both changes; null if nobody did. */
  async function overtaken(editing: Editing, file: EditedFile | null, typed: Typed): Promise<Page | null> {
    const { visit, revision, path, access, branch } = editing;
    if (file === null || revision === null || typed.text === null) {
      const isTold = visit.form.text("gone") === "1";
      const news = note(
        visit,
        "warn",
        html`The file was moved or deleted in ${branch} while you edited it. Nothing of your text is lost: commit it to create the file again.`,
      );
      return file !== null || isTold
        ? null
        : textPage(forge, editing, { form: "_edit", file, typed, told: moved, news, hidden: { gone: "1" } });
    }
    const asked = { seen: visit.form.text("last_commit"), tip: revision, path, typed: typed.text };
    const merged = await mergeEdit(forge, access.repository, asked);
    if (merged.kind === "unchanged") {
      return null;
    }
    const text = merged.kind === "merged" ? merged.text : typed.text;
    const words =
      merged.kind === "gone"
        ? "The file is no text any more. Commit to write yours in its place."
        : merged.conflicts === 0
          ? "Their changes and yours are both in the text now. Look at it, then commit."
          : "Where both changed the same lines, marks stand around the two versions. Take them out, then commit.";
    const diff = await changesOf(forge, editing, file, { path: typed.path, text });
    const news = html`${note(visit, "warn", html`Somebody else changed the file in ${branch} while you edited it. ${words}`)}
      <details class="panel edge news"><summary class="head">What your commit would change now</summary>${diff}</details>`;
    return textPage(forge, editing, { form: "_edit", file, typed: { ...typed, text }, told: moved, news });
  }

  async function planOf(
    editing: Editing,
    form: "_edit" | "_new",
    file: EditedFile | null,
    typed: Typed,
  ): Promise<Sending | Page> {
    if (typed.path === "") {
      refuse("tree_path", "The file needs a path.");
    }
    if (typed.text !== null && Buffer.byteLength(typed.text) > largestText) {
      refuse("content", "The text has more than 1 MiB; upload it as a file, or push it with git.");
    }
    const news = form === "_edit" && file?.isLink !== true ? await overtaken(editing, file, typed) : null;
    if (news !== null) {
      return news;
    }
    const change = changeOf(editing, form, file, typed, await readIndent(forge, editing, typed.path));
    return { usual: usualSummary(form, editing.path, typed.path), changes: [change], path: typed.path };
  }

  async function send(editing: Editing, form: "_edit" | "_new"): Promise<Page | Redirect> {
    const file = form === "_edit" ? await readEdited(forge, editing) : null;
    const typed = readTyped(editing, file);
    const show = (told: Told | null) => textPage(forge, editing, { form, file, typed, told });
    return editing.visit.form.text("show") !== ""
      ? show(null)
      : carryOut(forge, editing, () => planOf(editing, form, file, typed), show);
  }

  return [
    page("GET", "/:owner/:repo/_edit/*", opens, async (given) => {
      const editing = await openEditing(forge, given);
      const file = await readEdited(forge, editing);
      if (file === null) {
        throw new NotFound("file", editing.path);
      }
      if (editing.plan.to === null) {
        return nowherePage(editing, "Edit the file");
      }
      const typed: Typed = { path: editing.path, text: file.text, show: "edit" };
      return textPage(forge, editing, { form: "_edit", file, typed, told: null });
    }),
    page("POST", "/:owner/:repo/_edit/*", sends, async (given) => send(await openEditing(forge, given), "_edit")),
    page("GET", "/:owner/:repo/_new/*", opens, async (given) => {
      const editing = await openEditing(forge, given);
      if (editing.plan.to === null) {
        return nowherePage(editing, "New file");
      }
      const { query } = editing.visit;
      const directory = editing.path === "" ? "" : `${editing.path}/`;
      const path = directory + oneLine((query.get("filename") ?? "").slice(0, longestName));
      const text = (query.get("value") ?? "").slice(0, largestText).replaceAll(/\r\n?|\0/g, "\n");
      return textPage(forge, editing, { form: "_new", file: null, typed: { path, text, show: "edit" }, told: null });
    }),
    page("POST", "/:owner/:repo/_new/*", sends, async (given) => send(await openEditing(forge, given), "_new")),
  ];
}

const longestName = 4096;
/** The status of a page whose branch moved; what there is to say stands in the news. */
const moved: Told = { status: 409, field: "moved", message: "" };

/** The change that a typed text makes. Refuses one that changes nothing. */
export function changeOf(
  { path }: Editing,
  form: "_edit" | "_new",
  file: EditedFile | null,
  typed: Typed,
  { insert_final_newline: finalNewline }: Record<string, string>,
): FileChange {
  const isMoved = form === "_edit" && file !== null && typed.path !== path;
  if (file === null) {
    const text = typed.text ?? "";
    const ends = finalNewline === "true" && text !== "" && !text.endsWith("\n") ? "\n" : "";
    const bytes = Buffer.from(text + ends);
    return { operation: "create", path: typed.path, fromPath: null, bytes, mode: null, expectedOid: null };
  }
  const isSame = typed.text === file.text;
  if (isSame && !isMoved) {
    refuse("", "The file is as it was: there is nothing to commit.");
  }
  if (!isSame && file.text !== null && addsConflictMarks(file.text, typed.text ?? "")) {
    refuse("content", "The marks of a conflict are still in the text: take them out first.");
  }
  const typedBytes =
    isSame || typed.text === null
      ? null
      : file.isLink
        ? Buffer.from(oneLine(typed.text))
        : withEndingsOf(file.bytes, typed.text);
  return {
    operation: "update",
    path: typed.path,
    fromPath: isMoved ? path : null,
    bytes: typedBytes,
    mode: null,
    expectedOid: file.oid,
  };
}
