import type { CodeSymbol } from "../../highlight/code-language.ts";
import type { Reader } from "../frame/reader.ts";
import { clip } from "../../lib/show-value.ts";
import { html, type Html } from "../html.ts";
import { icon } from "../parts/icon.ts";

/** The most symbols that the menu lists, and the most UTF-16 code units of a name. */
const shownSymbols = 300;
const shownName = 80;

/** A button that opens what a file declares, as links to the lines; null where nothing is known. */
export function symbolMenu(reader: Reader, symbols: readonly CodeSymbol[]): Html | null {
  if (symbols.length === 0) {
    return null;
  }
  const links = symbols
    .slice(0, shownSymbols)
    .map(
      ({ name, kind, line, depth }) =>
        html`<a class="level-${Math.min(depth, 2) + 2}" href="#L${line}"><span class="cut grow">${clip(name, shownName)}</span><span class="faint small">${kind}</span></a>`,
    );
  return html`<button type="button" class="button s bare icon" popovertarget="outline" aria-label="Outline">${icon(reader, "list")}</button><div class="menu" id="outline" popover>${links}</div>`;
}
