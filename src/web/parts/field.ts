import type { Refusal } from "../errors.ts";
import { html, type Html, type HtmlValue } from "../html.ts";

interface FieldSpec {
  /** The name of the field, and the id of its control. */
  readonly name: string;
  readonly label: string;
  readonly hint?: HtmlValue;
}

/**
 * A control with its label, its hint, and what is wrong with it if the form was refused for it. `control` is given the
 * attributes that tie it to these.
 */
export function field(
  refused: Refusal | null,
  { name, label, hint = null }: FieldSpec,
  control: (attributes: Html) => Html,
): Html {
  const isWrong = refused !== null && refused.field === name;
  const about = [...(isWrong ? [`${name}_problem`] : []), ...(hint === null ? [] : [`${name}_hint`])].join(" ");
  const attributes = html`id="${name}" name="${name}"${isWrong && html` aria-invalid="true"`}${about !== "" && html` aria-describedby="${about}"`}`;
  return html`<div class="field"><label for="${name}">${label}</label>${control(attributes)}
    ${isWrong && html`<p class="problem" id="${name}_problem">${refused.message}.</p>`}${hint !== null && html`<p class="hint" id="${name}_hint">${hint}</p>`}</div>`;
}

/** The message above a form that was refused for none of the fields that it has. */
export function problemAbove(refused: Refusal | null, fields: readonly string[]): string | null {
  return refused === null || (refused.field !== null && fields.includes(refused.field)) ? null : `${refused.message}.`;
}
