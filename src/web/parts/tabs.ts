import { html, type Html } from "../html.ts";
import { shortNumber } from "./size.ts";

export interface Tab {
  readonly key: string;
  readonly name: string;
  readonly href: string;
  /** How much is there. */
  readonly count?: number | null;
}

/** Links to the sides of one thing; `current` is the key of the one that is shown. */
export function tabs(label: string, list: readonly Tab[], current: string | null): Html {
  const links = list.map(
    ({ key, name, href, count = null }) =>
      html`<a href="${href}"${key === current ? html` aria-current="page"` : null}>${name}${count !== null && html` <span class="count">${shortNumber(count)}</span>`}</a>`,
  );
  const id = `${label.toLowerCase().replaceAll(/[^a-z]+/g, "-")}-tabs`;
  return html`<nav class="tabs" id="${id}" data-live aria-label="${label}">${links}</nav>`;
}
