import { isMapping, textOf } from "../../domain/work/issue-templates/fields.ts";
import type { FormField } from "../../domain/work/issue-templates/read-form.ts";
import type { Form } from "../form.ts";
import { html, type Html } from "../html.ts";

/*
 * The fields of a template that is a form. What is filled in becomes the text of the issue: a heading for each field and its value below.
 */

const isTrue = (value: unknown): boolean => value === true;

interface Option {
  readonly label: string;
  readonly isRequired: boolean;
}

function optionsOf({ attributes }: FormField): Option[] {
  const options = Array.isArray(attributes["options"]) ? attributes["options"] : [];
  return options.map((option: unknown) =>
    isMapping(option)
      ? { label: textOf(option["label"]), isRequired: isTrue(option["required"]) }
      : { label: textOf(option), isRequired: false },
  );
}

/** The name of a field in the form. */
const nameOf = ({ id }: FormField): string => `field-${id}`;

/** A field as a control. `form` has what was typed before; `rendered` is the HTML of Markdown between the fields. */
export function templateField(one: FormField, form: Form, rendered: Html): Html | null {
  const { type, attributes, validations, visible } = one;
  if (!visible.includes("form")) {
    return null;
  }
  const name = nameOf(one);
  const label = textOf(attributes["label"]);
  const hint = textOf(attributes["description"]);
  const isRequired = isTrue(validations["required"]);
  const typed = form.has(name) ? form.text(name) : textOf(attributes["value"]);
  const about = html`${hint !== "" && html`<p class="hint" id="${name}_hint" dir="auto">${hint}</p>`}`;
  const common = html`id="${name}" name="${name}"${isRequired && html` required`}${hint !== "" && html` aria-describedby="${name}_hint"`} dir="auto"`;
  const holder = textOf(attributes["placeholder"]);
  switch (type) {
    case "markdown":
      return html`<div class="document" dir="auto">${rendered}</div>`;
    case "textarea":
      return html`<div class="field"><label for="${name}">${label}</label>${about}<textarea ${common} rows="5" placeholder="${holder}">
${typed}</textarea></div>`;
    case "input":
      return html`<div class="field"><label for="${name}">${label}</label>${about}<input type="text" ${common} value="${typed}" placeholder="${holder}"></div>`;
    case "dropdown": {
      const chosen = form.all(name);
      const isMultiple = isTrue(attributes["multiple"]);
      const options = optionsOf(one).map(
        (option) => html`<option${chosen.includes(option.label) && html` selected`}>${option.label}</option>`,
      );
      return html`<div class="field"><label for="${name}">${label}</label>${about}<select ${common}${isMultiple && html` multiple size="${Math.min(options.length, 8)}"`}>${!isMultiple && html`<option value="">–</option>`}${options}</select></div>`;
    }
    case "checkboxes": {
      const ticked = form.all(name);
      return html`<fieldset class="field"><legend>${label}</legend>${about}${optionsOf(one).map((option) => html`<label class="choice"><input type="checkbox" name="${name}" value="${option.label}"${option.isRequired && html` required`}${ticked.includes(option.label) && html` checked`}><span dir="auto">${option.label}</span></label>`)}</fieldset>`;
    }
  }
}

/** A text that a reader of Markdown shows as it was typed, in a block of a language. */
function fenced(text: string, language: string): string {
  let fence = "```";
  for (const [ticks] of text.matchAll(/`{3,}/g)) {
    fence = ticks.length < fence.length ? fence : `${ticks}\``;
  }
  return `${fence}${language}\n${text}\n${fence}`;
}

function valueOf(one: FormField, form: Form): string {
  const name = nameOf(one);
  switch (one.type) {
    case "markdown":
      return textOf(one.attributes["value"]);
    case "checkboxes": {
      const ticked = form.all(name);
      return optionsOf(one)
        .map(({ label }) => `- [${ticked.includes(label) ? "x" : " "}] ${label}`)
        .join("\n");
    }
    case "dropdown":
      return form
        .all(name)
        .filter((value) => value !== "")
        .join(", ");
    case "input":
    case "textarea": {
      const text = form.lines(name).trim();
      const language = textOf(one.attributes["render"]);
      return text === "" || language === "" ? text : fenced(text, language.replaceAll(/[^\w+#.-]/g, ""));
    }
  }
}

/** The first required field that was left empty; null: none. */
export function missingField(fields: readonly FormField[], form: Form): string | null {
  for (const one of fields) {
    const value = valueOf(one, form);
    const isEmpty =
      one.type !== "markdown" && one.type !== "checkboxes" && value === "" && isTrue(one.validations["required"]);
    const isUnticked =
      one.type === "checkboxes" &&
      optionsOf(one).some(({ label, isRequired }) => isRequired && !form.all(nameOf(one)).includes(label));
    if (isEmpty || isUnticked) {
      return textOf(one.attributes["label"]);
    }
  }
  return null;
}

/** The text of the issue that the fields make, in Markdown. */
export function textOfFields(fields: readonly FormField[], form: Form): string {
  return fields
    .filter(({ visible }) => visible.includes("content"))
    .map((one) => {
      const value = valueOf(one, form);
      return one.type === "markdown"
        ? value
        : `### ${textOf(one.attributes["label"])}\n\n${value === "" ? "_No response_" : value}`;
    })
    .join("\n\n");
}
