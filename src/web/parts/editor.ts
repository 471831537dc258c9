import { scriptAddress } from "../assets/assets.ts";
import type { IconName } from "../assets/icons.ts";
import { html, type Html } from "../html.ts";
import type { Visit } from "../visit.ts";
import { icon } from "./icon.ts";

interface EditorSpec {
  /** The name of the field. */
  readonly name: string;
  /** The id of its control, where a page has several of the name; else the name. */
  readonly id?: string;
  readonly label: string;
  readonly text: string;
  /** Why the text was refused, if it was. */
  readonly problem?: string | null;
  readonly isRequired?: boolean;
  /** Files can come with the text: the form is multipart, and its handler runs in `changeWithFiles`. `problem`: why they were refused. */
  readonly files?: { readonly problem: string | null };
  /** Which of several forms with one address it is: what is typed is kept for that one. */
  readonly draft?: string;
}

/** What a tool of the bar does with the text is in `src/web/writing/marks.ts`, by these names. */
const tools: readonly [name: string, icon: IconName, label: string][] = [
  ["heading", "heading", "Heading"],
  ["bold", "bold", "Bold"],
  ["italic", "italic", "Italic"],
  ["quote", "quote", "Quote"],
  ["code", "code", "Code"],
  ["link", "link", "Link"],
  ["list", "list", "List"],
  ["numbers", "list-ordered", "Numbered list"],
  ["tasks", "list-checks", "Task list"],
  ["table", "table", "Table"],
  ["mention", "at-sign", "Mention somebody"],
  ["reference", "hash", "Refer to an issue or a pull request"],
];

function filesPart(visit: Visit, id: string, problem: string | null): Html {
  const wrong = problem === null ? null : html` aria-invalid="true" aria-describedby="${id}_files_problem"`;
  return html`<div class="files"><label>${icon(visit, "paperclip")}<span>Attach files</span><input type="file" name="files" multiple${wrong}></label>${problem !== null && html`<p class="problem" id="${id}_files_problem">${problem}.</p>`}</div>`;
}

/**
 * The field for a text in Markdown. "Preview" sends the form, whose handler shows the page again with the text rendered; the script
 * `src/web/client/text/` does that in its place, and brings the tools, completion, and drafts.
 */
export function editor(
  visit: Visit,
  { name, id = name, label, text, problem = null, isRequired = false, files, draft = "" }: EditorSpec,
  preview: Html | null,
): Html {
  const wrong = problem === null ? null : html` aria-invalid="true" aria-describedby="${id}_problem"`;
  const buttons = tools.map(
    ([tool, picture, about]) =>
      html`<button type="button" class="button s bare icon" data-tool="${tool}" aria-label="${about}" title="${about}">${icon(visit, picture)}</button>`,
  );
  return html`<text-editor class="panel editor" data-user="${visit.actor?.name ?? ""}"><div class="head"><label for="${id}">${label}</label><div class="format" role="toolbar" aria-label="Format" aria-controls="${id}">${buttons}</div><span class="segments"><a href="#${id}" aria-current="true">Write</a><button name="preview" value="1" formnovalidate>Preview</button></span></div>
    <textarea id="${id}" name="${name}" rows="6" dir="auto"${isRequired && html` required`}${wrong}>
${text}</textarea>${problem !== null && html`<p class="problem" id="${id}_problem">${problem}.</p>`}${draft !== "" && html`<input type="hidden" name="draft" value="${draft}">`}<div class="preview" id="${id}_preview"${preview === null && html` hidden`}><h2 class="faint small">Preview</h2><div class="document" dir="auto">${preview}</div></div>${files !== undefined && filesPart(visit, id, files.problem)}</text-editor><script type="module" src="${visit.root}${scriptAddress("text")}"></script>`;
}
