import { clip } from "../../lib/show-value.ts";
import { html, type Html } from "../html.ts";
import { note } from "../parts/note.ts";
import { delimiterOf, parseCsv } from "./csv.ts";
import type { ShownFile } from "./open-file.ts";

const limits = { rows: 1000, columns: 50 };
/** The most UTF-16 code units of a cell. */
const shownCell = 500;

/** Comma-separated values as a table, whose first row is its head; null for a text without any. */
export function csvTable({ visit, file }: ShownFile, text: string): Html | null {
  const { rows, isCut } = parseCsv(text, delimiterOf(file.path, text), limits);
  const [head, ...body] = rows;
  if (head === undefined) {
    return null;
  }
  const width = Math.max(...rows.map(({ cells }) => cells.length));
  const columns = Array.from({ length: width }, (_, index) => head.cells[index] ?? "");
  const heads = columns.map((cell) =>
    cell === "" ? html`<td></td>` : html`<th scope="col" dir="auto">${clip(cell, shownCell)}</th>`,
  );
  const lines = body.map(
    ({ line, cells }) =>
      html`<tr id="L${line}"><td class="faint num">${line}</td>${columns.map((_, index) => html`<td dir="auto">${clip(cells[index] ?? "", shownCell)}</td>`)}</tr>`,
  );
  const cut =
    isCut &&
    html`<div class="body">${note(visit, "info", html`The table shows its first ${limits.rows} rows and ${limits.columns} columns. <a href="?display=source">See the lines</a> for all of it.`)}</div>`;
  return html`${cut}<div class="scroll" tabindex="0" role="region" aria-label="Table of ${file.name}"><table class="values"><thead><tr><td></td>${heads}</tr></thead><tbody>${lines}</tbody></table></div>`;
}
