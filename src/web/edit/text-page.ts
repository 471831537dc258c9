import { findEditorconfig } from "../../domain/git/contents/find-editorconfig.ts";
import { isMarkdown } from "../../domain/work/markdown/is-markdown.ts";
import { linkBaseOf } from "../../domain/work/markdown/link-base.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { StithyError } from "../../lib/errors.ts";
import type { Definition } from "../../editorconfig/read-definition.ts";
import { html, type Html } from "../html.ts";
import { editLink } from "../links.ts";
import { empty, note } from "../parts/note.ts";
import { renderMarkdown } from "../repos/document.ts";
import type { Page } from "../respond.ts";
import { changesOf } from "./changes.ts";
import { commitPanel, tellAll } from "./commit-form.ts";
import type { Editing } from "./editing.ts";
import { editHead } from "./head.ts";
import type { EditedFile } from "./text-file.ts";
import { invalid, problem, type Told } from "./told.ts";

/** What a form for a text holds. */
export interface Typed {
  readonly path: string;
  /** With line feeds alone; null where there is no text to type. */
  readonly text: string | null;
  /** What is shown: the field, the text as it reads, or what it changes. */
  readonly show: "edit" | "preview" | "changes";
}

interface TextPage {
  readonly form: "_edit" | "_new";
  readonly file: EditedFile | null;
  readonly typed: Typed;
  readonly told: Told | null;
  /** What happened to the file while it was typed, and further hidden fields that say that it was told. */
  readonly news?: Html | null;
  readonly hidden?: Readonly<Record<string, string>>;
}

/** What .editorconfig says of the path; nothing where it cannot be read. */
export async function readIndent(forge: Forge, { revision }: Editing, path: string): Promise<Definition> {
  if (revision === null) {
    return {};
  }
  try {
    return (await findEditorconfig(forge, revision.view, revision.commit, path)) ?? {};
  } catch (error) {
    if (error instanceof StithyError && error.kind === "invalid") {
      return {};
    }
    throw error;
  }
}

/** A number of columns that a tab or an indent may have. */
function number(text: string): string | null {
  return /^(?:[1-9]|1[0-6])$/.test(text) ? text : null;
}

/** Attributes of the field that its script reads. */
function indentation({ indent_style: style = "", indent_size: size = "", tab_width: width = "" }: Definition): Html {
  const tab = number(width) ?? number(size);
  const indent = style === "tab" ? "tab" : (number(size) ?? (style === "space" ? "2" : null));
  return html`${tab !== null && html` data-tab="${tab}"`}${indent !== null && html` data-indent="${indent}"`}`;
}

function segment(show: Typed["show"], label: string, shown: Typed["show"]): Html {
  return html`<button class="view" name="show" value="${show}" formnovalidate${show === shown && html` aria-current="true"`}>${label}</button>`;
}

function field(editing: Editing, { file, typed, told }: TextPage, definition: Definition): Html | null {
  if (typed.text === null) {
    return html`<div class="body">${empty(editing.visit, "file", "No text to edit", file?.remark ?? "")}</div>`;
  }
  if (file?.isLink === true) {
    return html`<div class="body"><label class="field">Where the link leads<input class="mono" name="content" value="${typed.text}" maxlength="4096" spellcheck="false"${invalid(told, "content")}></label>${problem(told, "content")}</div>`;
  }
  const isHidden = typed.show !== "edit";
  return html`<code-editor data-name="${typed.path}" data-from="${file?.path ?? ""}"${indentation(definition)}${isHidden && html` hidden`}><textarea class="code" name="content" rows="24" wrap="off" aria-label="Text of the file" spellcheck="false" autocapitalize="off" autocomplete="off"${invalid(told, "content")}>
${typed.text}</textarea></code-editor>${problem(told, "content")}`;
}

/** What is shown in the place of the field; null: the field. */
async function previewOf(
  forge: Forge,
  editing: Editing,
  file: EditedFile | null,
  { show, path, text }: Typed,
): Promise<Html | null> {
  if (show === "edit" || text === null) {
    return null;
  }
  if (show === "changes") {
    return html`<div id="preview">${await changesOf(forge, editing, file, { path, text })}</div>`;
  }
  const { visit, access, branch } = editing;
  const base = linkBaseOf(forge.addresses, access, { kind: "branch", name: branch }, path);
  const read = isMarkdown(path)
    ? await renderMarkdown(forge, visit, access, base, text)
    : html`<pre tabindex="0">${text}</pre>`;
  return html`<div class="body roomy" id="preview">${read}</div>`;
}

/** The page with the text of a file, new or not, and the form of its commit. */
export async function textPage(forge: Forge, editing: Editing, page: TextPage): Promise<Page> {
  const { visit, access, branch, path, plan } = editing;
  const { file, typed, told, form } = page;
  const definition = await readIndent(forge, editing, typed.path);
  const isText = typed.text !== null && file?.isLink !== true;
  const isNew = form === "_new";
  const preview = await previewOf(forge, editing, file, typed);
  const hidden = Object.entries({ last_commit: editing.revision?.commit ?? "", ...page.hidden }).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  );
  const views = html`<span class="segments" role="group" aria-label="View">${segment("edit", "Text", typed.show)}${(isMarkdown(typed.path) || isNew) && segment("preview", "Preview", typed.show)}${segment("changes", "Changes", typed.show)}</span>`;
  const name = path.split("/").at(-1) ?? "";
  const title = isNew ? "New file" : `Edit ${name}`;
  const action = editLink(visit.root, access, form, branch, path);
  return {
    status: told?.status ?? 200,
    title: `${title} · ${access.owner.name}/${access.repository.name}`,
    place: { tab: "code", width: "wide" },
    scripts: ["editor"],
    body: html`${editHead(editing, title)}${tellAll(editing, told)}${page.news}
      ${typed.text !== null && file?.remark != null && note(visit, "warn", file.remark)}
      <form class="stack edit" method="post" action="${action}" enctype="multipart/form-data" data-draft data-address="${editLink(visit.root, access, "_changes", branch)}">${visit.formField()}${hidden}
      <div class="stack s"><label class="field" for="tree_path">${isNew ? "Path of the file, with its folders" : "Path of the file; change it to move or rename it"}<input id="tree_path" name="tree_path" class="mono" value="${typed.path}" maxlength="4096" autocomplete="off" autocapitalize="off" spellcheck="false" required${isNew && told === null && html` autofocus`}${invalid(told, "tree_path")}></label>${problem(told, "tree_path")}</div>
      <section class="panel edge" aria-label="${isNew ? "Text" : name}">${isText && html`<header>${views}<span class="grow"></span><span class="soft small not-narrow">${describe(definition)}</span></header>`}${field(editing, page, definition)}${preview}</section>
      ${plan.to !== null && commitPanel(editing, { action: isNew ? "Commit the new file" : "Commit the changes", usual: usualSummary(form, path, typed.path), told })}</form>`,
  };
}

function shown(path: string): string {
  return path === "" ? "the file" : path.replaceAll(/[\r\n]+/g, " ");
}

/** The summary of a commit where none is typed. */
export function usualSummary(form: "_edit" | "_new", path: string, newPath: string): string {
  if (form === "_new") {
    return `Add ${shown(newPath)}`;
  }
  return path === newPath ? `Update ${shown(path)}` : `Move ${shown(path)} to ${shown(newPath)}`;
}

/** In words what .editorconfig asks for. */
function describe({ indent_style: style, indent_size: size = "" }: Definition): string {
  if (style === undefined) {
    return "";
  }
  return style === "tab" ? "Indented with tabs" : `Indented with ${/^\d+$/.test(size) ? `${size} ` : ""}spaces`;
}
