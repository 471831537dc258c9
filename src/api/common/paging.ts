import type { Actor, Credential } from "../../auth/subject.ts";
import type { Answer } from "./reply.ts";
import { json } from "./reply.ts";

export const defaultPageSize = 30;
export const maximumPageSize = 50;
/** Entries on a page of a git tree, at most and where nothing is asked for. */
export const treePageSize = 1000;

export interface Page {
  /** From 1. */
  number: number;
  size: number;
  offset: number;
}

/** The argument of a list's handler. */
export interface AskedForList {
  request: Request;
  actor: Actor | null;
  credential: Credential;
  query: { page?: number; limit?: number };
}

/** The page asked for: sizes above the maximum are clamped to it, anything below 1 means the default. */
export function readPage(query: { page?: number; limit?: number }): Page {
  const size = query.limit === undefined || query.limit < 1 ? defaultPageSize : Math.min(query.limit, maximumPageSize);
  const number = query.page === undefined || query.page < 1 ? 1 : query.page;
  return { number, size, offset: (number - 1) * size };
}

/** The Link header (RFC 8288): first, prev, next and last, each with the request's own filters. */
function linkHeader(url: URL, base: string, page: Page, total: number): string {
  const last = Math.max(1, Math.ceil(total / page.size));
  const link = (relation: string, number: number) => {
    const query = new URLSearchParams(url.search);
    query.set("page", String(number));
    query.set("limit", String(page.size));
    return `<${base}${url.pathname}?${query}>; rel="${relation}"`;
  };
  const links: string[] = [];
  if (page.number < last) {
    links.push(link("next", page.number + 1), link("last", last));
  }
  if (page.number > 1) {
    links.push(link("first", 1), link("prev", Math.min(page.number - 1, last)));
  }
  return links.join(", ");
}

/**
 * A page of a list with its headers. `total` counts what this caller may see, never more.
 * `value` is the body where it is not the bare list.
 */
export function paged<Value>(
  context: { request: Request; base: string },
  page: Page,
  total: number,
  value: Value,
): Answer<200, Value> {
  const link = linkHeader(new URL(context.request.url), context.base, page, total);
  return json(200, value, {
    "x-total-count": String(total),
    ...(link === "" ? {} : { link }),
    "access-control-expose-headers": "X-Total-Count, Link",
  });
}

/**
 * The page of a list that a request asks for: `load` reads its rows and counts all that this caller may see, `present`
 * makes the JSON of each. `wrap` gives the body where it is not the bare list.
 */
export async function pageOf<Row, Item, Body = Item[]>(
  { request, query, base }: { request: Request; query: { page?: number; limit?: number }; base: string },
  load: (page: Page) => Promise<{ rows: readonly Row[]; total: number }>,
  present: (row: Row) => Item | Promise<Item>,
  wrap: (list: Item[]) => Body = (list) => list as Body,
): Promise<Answer<200, Body>> {
  const page = readPage(query);
  const { rows, total } = await load(page);
  return paged({ request, base }, page, total, wrap(await Promise.all(rows.map((row) => present(row)))));
}
