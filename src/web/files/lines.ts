import { html, trusted, type Html } from "../html.ts";

/**
 * Lines of code, each with its number as a link to it. The number is drawn from the attribute, so that no selection has it; it is no
 * stop of the Tab key. `first`: the number of the first line.
 */
export function numberedLines(lines: readonly Html[], first: number): Html {
  let markup = "";
  for (let index = 0; index < lines.length; index++) {
    const number = first + index;
    markup += `<span id="L${number}"><a href="#L${number}" data-n="${number}" tabindex="-1" aria-hidden="true"></a>${lines[index]?.text}\n</span>`;
  }
  return trusted(markup);
}

/** A text with line numbers. `classes`: how wide a tab is. */
export function codeLines(name: string, lines: readonly Html[], first: number, classes: string): Html {
  const digits = String(first + lines.length).length;
  return html`<code-lines class="lines code w${Math.min(digits, 7)}${classes}" tabindex="0" role="region" aria-label="Lines of ${name}"><code id="source">${numberedLines(lines, first)}</code></code-lines>`;
}
