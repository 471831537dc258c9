/** Markup that is safe to put into a page. Made by `html` and by `trusted` only. */
export class Html {
  constructor(readonly text: string) {}
}

export type HtmlValue = Html | string | number | null | undefined | false | readonly HtmlValue[];

const escapes: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function render(value: HtmlValue): string {
  if (value === null || value === undefined || value === false) {
    return "";
  }
  if (value instanceof Html) {
    return value.text;
  }
  if (typeof value === "string" || typeof value === "number") {
    return String(value).replaceAll(/[&<>"']/g, (character) => escapes[character] ?? "");
  }
  return value.map(render).join("");
}

/**
 * A template of HTML: every value in it is escaped, unless it is markup itself. Lists are joined; null, undefined and
 * false leave nothing. Attribute values must stand in quotes, because only there is what is escaped safe.
 */
export function html(parts: TemplateStringsArray, ...values: HtmlValue[]): Html {
  return new Html(parts.reduce((text, part, index) => text + render(values[index - 1]) + part));
}

/** Markup that was made elsewhere and sanitized there. */
export function trusted(markup: string): Html {
  return new Html(markup);
}
