import { html, type Html } from "../html.ts";
import { shortNumber } from "./size.ts";

export interface Tab {
  readonly key: string;
  readonly name: string;
  readonly href: string;
  /** Shown if it is more than 0. */
  readonly count?: number;
}

/** Links to the sides of one thing; `current` is the key of the one that is shown. */
export function tabs(label: string, list: readonly Tab[], current: string | null): Html {
  const links = list.map(({ key, name, href, count = 0 }) => {
    const shown = count > 0 ? html`<span class="count">${shortNumber(count)}</span>` : null;
    return html`<a href="${href}"${key === current ? html` aria-current="page"` : null}>${name}${shown}</a>`;
  });
  return html`<nav class="tabs" aria-label="${label}">${links}</nav>`;
}
