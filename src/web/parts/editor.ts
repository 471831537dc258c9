import type { Reader } from "../frame/reader.ts";
import { html, type Html } from "../html.ts";
import { icon } from "./icon.ts";

interface EditorSpec {
  /** The name of the field, and the id of its control. */
  readonly name: string;
  readonly label: string;
  readonly text: string;
  /** Why the text was refused, if it was. */
  readonly problem?: string | null;
  readonly isRequired?: boolean;
}

/** The field for a text in Markdown. "Preview" sends the form, whose handler shows the page again with the text rendered. */
export function editor(
  reader: Reader,
  { name, label, text, problem = null, isRequired = false }: EditorSpec,
  preview: Html | null,
): Html {
  const wrong = problem === null ? null : html` aria-invalid="true" aria-describedby="${name}_problem"`;
  return html`<div class="panel editor"><div class="head"><label for="${name}">${label}</label><span class="grow"></span><span class="faint small">Markdown</span><button class="button s bare" name="preview" value="1" formnovalidate>${icon(reader, "eye")}Preview</button></div>
    <textarea id="${name}" name="${name}" rows="6" dir="auto"${isRequired && html` required`}${wrong}>
${text}</textarea>${problem !== null && html`<p class="problem" id="${name}_problem">${problem}.</p>`}${preview !== null && html`<div class="preview"><h2 class="faint small">Preview</h2><div class="document" dir="auto">${preview}</div></div>`}</div>`;
}
