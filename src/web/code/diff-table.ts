import type { Reader } from "../frame/reader.ts";
import { html, trusted, type Html } from "../html.ts";
import { icon } from "../parts/icon.ts";
import type { LineExtras } from "./diff-extras.ts";
import type { DiffOptions } from "./diff-options.ts";
import { pairRows, type DiffRow } from "./diff-rows.ts";
import { markHidden } from "./hidden-characters.ts";
import { markRanges } from "./mark-ranges.ts";
import type { ShownFile } from "./read-diff.ts";

/** So many lines come with one click; of fewer than twice as many, all do. */
const step = 20;

/** Makes the address that shows these further lines of a file. */
type ShowLines = (from: number, to: number) => string;

/**
 * The lines of a file as a table. Numbers are attributes that the style sheet shows: with texts in their place a browser takes five times as
 * long for the layout. Tags that HTML lets out are let out.
 */
export function diffTable(
  reader: Reader,
  shown: ShownFile,
  { style }: DiffOptions,
  { showLines, isFromStart, extras }: { showLines: ShowLines | null; isFromStart: boolean; extras: LineExtras | null },
): Html {
  const { file, hunks, colours } = shown;
  const lineOf = (row: DiffRow): string => lineMarkup(row, colours);
  const isSplit = style === "split";
  let text = "";
  let last = isFromStart ? 0 : null;
  for (const { heading, rows } of hunks) {
    const start = rows[0]!.after ?? firstAfter(rows);
    text += gap(reader, isSplit, showLines, last, start === null ? null : start - 1, heading);
    text += isSplit ? splitRows(rows, lineOf, extras) : unifiedRows(rows, lineOf, extras);
    last = lastAfter(rows) ?? last;
  }
  const end = file.after?.lines ?? 0;
  if (!file.hasMore && last !== null && last < end) {
    text += gap(reader, isSplit, showLines, last, end, "", true);
  }
  const path = (file.after ?? file.before)!.path;
  const columns = isSplit ? "<col class=n><col><col class=n><col>" : "<col class=n><col class=n><col>";
  return html`<table class="diff code${isSplit ? " split-rows" : ""}"><caption class="sr">Changes of ${path}</caption><colgroup>${trusted(columns)}</colgroup><tbody>${trusted(text)}</tbody></table>`;
}

function firstAfter(rows: readonly DiffRow[]): number | null {
  return rows.find(({ after }) => after !== null)?.after ?? null;
}

function lastAfter(rows: readonly DiffRow[]): number | null {
  return rows.findLast(({ after }) => after !== null)?.after ?? null;
}

/** What stands for the lines from after `last` up to `end`: where the next ones are, and links that show more. */
function gap(
  reader: Reader,
  isSplit: boolean,
  showLines: ShowLines | null,
  last: number | null,
  end: number | null,
  heading: string,
  isLast = false,
): string {
  const hidden = last === null || end === null ? 0 : end - last;
  if (hidden <= 0 && heading === "") {
    return "";
  }
  const link = (from: number, to: number, sign: "unfold-vertical" | "chevron-down" | "chevron-up"): Html =>
    html`<a href="${showLines!(from, to)}" rel="nofollow" aria-label="Show lines ${from} to ${to}">${icon(reader, sign)}</a>`;
  const links: Html[] = [];
  if (showLines !== null && last !== null && end !== null && hidden > 0) {
    if (hidden < 2 * step) {
      links.push(link(last + 1, end, "unfold-vertical"));
    } else {
      if (last > 0) {
        links.push(link(last + 1, last + step, "chevron-down"));
      }
      if (!isLast) {
        links.push(link(end - step + 1, end, "chevron-up"));
      }
    }
  }
  const spans = isSplit ? "" : " colspan=2";
  return html`<tr class=g><td${trusted(spans)}>${links}</td><td${trusted(isSplit ? " colspan=3" : "")}>${heading}</td></tr>`
    .text;
}

function lineMarkup(row: DiffRow, colours: ShownFile["colours"]): string {
  const isOld = row.kind === "removed";
  const number = (isOld ? row.before : row.after)!;
  const plain = (isOld ? colours.before : colours.after)?.[number - 1] ?? html`${row.text}`;
  const line = markHidden(markRanges(plain, row.words)).text;
  return row.isOpen ? `${line}<span class="hid">no line feed</span>` : line;
}

/** The number of a line. `link`: the address that speaks of it, as far as lines have it in common. */
function numberCell(number: number | null, side: "L" | "R", link: string | null | undefined): string {
  if (number === null) {
    return "<td>";
  }
  return link == null
    ? `<td data-n=${number}>`
    : `<td data-n=${number}><a href="${Bun.escapeHTML(link)}${side}${number}#on" tabindex=-1 aria-label="Comment on line ${number}"></a>`;
}

/** What stands below the lines of a row, over all columns. */
function rowUnder(extras: LineExtras | null, before: number | null, after: number | null, columns: number): string {
  const old = before === null ? null : (extras?.under("old", before) ?? null);
  const now = after === null ? null : (extras?.under("new", after) ?? null);
  return old === null && now === null ? "" : html`<tr class=t><td colspan=${columns}>${old}${now}</td></tr>`.text;
}

function unifiedRows(rows: readonly DiffRow[], lineOf: (row: DiffRow) => string, extras: LineExtras | null): string {
  let text = "";
  for (const row of rows) {
    const kind = row.kind === "same" ? "" : row.kind === "added" ? "a" : "d";
    const names = kind !== "" && row.moved ? `"${kind} ${kind}m"` : kind;
    const oldLink = row.kind === "removed" ? extras?.link : null;
    text += `<tr${names === "" ? "" : ` class=${names}`}>${numberCell(row.before, "L", oldLink)}${numberCell(row.after, "R", extras?.link)}<td>${lineOf(row)}`;
    text += rowUnder(extras, row.before, row.after, 3);
  }
  return text;
}

function splitRows(rows: readonly DiffRow[], lineOf: (row: DiffRow) => string, extras: LineExtras | null): string {
  let text = "";
  for (const [old, now] of pairRows(rows)) {
    const names = [
      ...(old?.kind === "removed" ? (old.moved ? ["d", "dm"] : ["d"]) : []),
      ...(now?.kind === "added" ? (now.moved ? ["a", "am"] : ["a"]) : []),
      ...(old === null ? ["no-old"] : now === null ? ["no-new"] : []),
    ];
    const attribute = names.length === 0 ? "" : ` class="${names.join(" ")}"`;
    const [before, after] = [old?.before ?? null, now?.after ?? null];
    text += `<tr${attribute}>${numberCell(before, "L", extras?.link)}<td>${old === null ? "" : lineOf(old)}${numberCell(after, "R", extras?.link)}<td>${now === null ? "" : lineOf(now)}`;
    text += rowUnder(extras, before, after, 4);
  }
  return text;
}
