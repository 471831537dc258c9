/** Markup that is safe to put into a page. Made by `html` and by `trusted` only. */
export class Html {
  constructor(readonly text: string) {}
}

export type HtmlValue = Html | string | number | null | undefined | false | readonly HtmlValue[];

function render(value: HtmlValue): string {
  if (typeof value === "string") {
    return Bun.escapeHTML(value);
  }
  if (value instanceof Html) {
    return value.text;
  }
  if (value === null || value === undefined || value === false) {
    return "";
  }
  if (typeof value === "number") {
    return String(value);
  }
  let text = "";
  for (const item of value) {
    text += render(item);
  }
  return text;
}

/**
 * A template of HTML: every value in it is escaped, unless it is markup itself. Lists are joined; null, undefined and
 * false leave nothing. Attribute values must stand in quotes, because only there is what is escaped safe.
 */
export function html(parts: TemplateStringsArray, ...values: HtmlValue[]): Html {
  let text = parts[0] ?? "";
  for (let index = 0; index < values.length; index++) {
    text += render(values[index]) + parts[index + 1];
  }
  return new Html(text);
}

/** Markup that was made elsewhere and sanitized there. */
export function trusted(markup: string): Html {
  return new Html(markup);
}
