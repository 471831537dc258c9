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

/** Links to pages by their numbers, which keep the query; `before` or `after` null: there is none. */
function steps(
  reader: Reader,
  address: string,
  query: URLSearchParams,
  { before, after, shown }: { before: number | null; after: number | null; shown: string },
): Html {
  const to = (number: number) => {
    const changed = new URLSearchParams(query);
    changed.set("page", String(number));
    return `${address}?${changed.toString()}`;
  };
  const previous = html`${icon(reader, "chevron-left")}Previous`;
  const next = html`Next${icon(reader, "chevron-right")}`;
  const link = (number: number | null, rel: string, content: Html) =>
    number === null
      ? html`<span class="button" aria-disabled="true">${content}</span>`
      : html`<a class="button" href="${to(number)}" rel="${rel}">${content}</a>`;
  return html`<nav class="pager" aria-label="Pages"><span class="num">${shown}</span><span class="group">${link(before, "prev", previous)}${link(after, "next", next)}</span></nav>`;
}

/** Links to the pages before and after; nothing where there is one page. */
export function pager(reader: Reader, address: string, query: URLSearchParams, at: Slice, total: number): Html | null {
  const last = Math.ceil(total / at.size);
  if (last <= 1) {
    return null;
  }
  const shown =
    at.number > last
      ? `Page ${at.number} of ${last}`
      : `${wholeNumber(at.offset + 1)}–${wholeNumber(Math.min(at.offset + at.size, total))} of ${wholeNumber(total)}`;
  return steps(reader, address, query, {
    before: at.number > 1 ? Math.min(at.number - 1, last) : null,
    after: at.number < last ? at.number + 1 : null,
    shown,
  });
}

/** Links to the pages before and after of a list whose length nobody counted. */
export function openPager(
  reader: Reader,
  address: string,
  query: URLSearchParams,
  at: Slice,
  hasMore: boolean,
): Html | null {
  return at.number === 1 && !hasMore
    ? null
    : steps(reader, address, query, {
        before: at.number > 1 ? at.number - 1 : null,
        after: hasMore ? at.number + 1 : null,
        shown: `Page ${at.number}`,
      });
}
