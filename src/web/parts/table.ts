import { html, type Html } from "../html.ts";

/** A table whose rows become cards in a narrow window. A cell of `rows` is the markup between its `<td>` tags. */
export function cardTable(columns: readonly { name: string; whole?: boolean }[], rows: readonly Html[][]): Html {
  const head = columns.map(({ name }) => html`<th scope="col">${name}</th>`);
  const cell = (content: Html, index: number) =>
    html`<td data-column="${columns[index]?.name ?? ""}"${columns[index]?.whole ? html` class="whole"` : null}><div>${content}</div></td>`;
  const body = rows.map((cells) => html`<tr>${cells.map(cell)}</tr>`);
  return html`<div class="scroll"><table class="cards"><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table></div>`;
}
