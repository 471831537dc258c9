import type { Reader } from "../frame/reader.ts";
import { html, type Html } from "../html.ts";
import { icon } from "./icon.ts";
import { wholeNumber } from "./size.ts";

export const pageSize = 30;

/** The part of a list that a page shows. */
export interface Slice {
  /** from 1 */
  readonly number: number;
  readonly size: number;
  readonly offset: number;
}

/** Reads `?page=`, from 1. */
export function sliceOf(query: URLSearchParams, size = pageSize): Slice {
  const text = query.get("page") ?? "1";
  const number = /^[1-9]\d{0,6}$/.test(text) ? Number(text) : 1;
  return { number, size, offset: (number - 1) * size };
}

/** Links to the pages before and after, which keep the query; nothing where there is one page. */
export function pager(reader: Reader, address: string, query: URLSearchParams, at: Slice, total: number): Html | null {
  const last = Math.ceil(total / at.size);
  if (last <= 1) {
    return null;
  }
  const to = (number: number) => {
    const changed = new URLSearchParams(query);
    changed.set("page", String(number));
    return `${address}?${changed.toString()}`;
  };
  const before =
    at.number > 1
      ? html`<a class="button" href="${to(Math.min(at.number - 1, last))}" rel="prev">${icon(reader, "chevron-left")}Previous</a>`
      : html`<span class="button" aria-disabled="true">${icon(reader, "chevron-left")}Previous</span>`;
  const after =
    at.number < last
      ? html`<a class="button" href="${to(at.number + 1)}" rel="next">Next${icon(reader, "chevron-right")}</a>`
      : html`<span class="button" aria-disabled="true">Next${icon(reader, "chevron-right")}</span>`;
  const shown =
    at.number > last
      ? `Page ${at.number} of ${last}`
      : `${wholeNumber(at.offset + 1)}–${wholeNumber(Math.min(at.offset + at.size, total))} of ${wholeNumber(total)}`;
  return html`<nav class="pager" aria-label="Pages"><span class="num">${shown}</span><span class="group">${before}${after}</span></nav>`;
}
