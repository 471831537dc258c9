import type { Reader } from "../frame/reader.ts";
import { html, type Html } from "../html.ts";
import { copyFrom } from "./copy.ts";

/** Commands under a heading, ready to be copied as one. `id` is that of their text. */
export function commands(reader: Reader, id: string, title: string, lines: readonly string[]): Html {
  return html`<section class="stack s"><div class="split"><h2>${title}</h2>${copyFrom(reader, id, { label: `Copy the commands: ${title}`, isSmall: true })}</div><pre id="${id}" tabindex="0">${lines.join("\n")}</pre></section>`;
}
