import { html, type Html } from "../html.ts";

export interface Tab {
  readonly key: string;
  readonly name: string;
  readonly href: string;
}

/** Links to the sides of one thing; `current` is the key of the one that is shown. */
export function tabs(label: string, list: readonly Tab[], current: string | null): Html {
  const links = list.map(
    ({ key, name, href }) => html`<a href="${href}"${key === current ? html` aria-current="page"` : null}>${name}</a>`,
  );
  return html`<nav class="tabs" aria-label="${label}">${links}</nav>`;
}
