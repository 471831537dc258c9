import type { RepositoryAccess } from "../auth/subject.ts";
import { html, type Html } from "./html.ts";
import { repositoryLink } from "./links.ts";

/** A note about a form that failed or succeeded; screen readers read it out as it appears. */
export function note(kind: "bad" | "good", text: string | null): Html | null {
  return text === null ? null : html`<p class="note ${kind}" role="${kind === "bad" ? "alert" : "status"}">${text}</p>`;
}

/** Tells password managers whose password a form asks for. */
export function accountField(userName: string): Html {
  return html`<input type="text" autocomplete="username" value="${userName}" hidden readonly>`;
}

export function instant(at: Date): Html {
  if (Number.isNaN(at.getTime())) {
    // Commits may name any time at all.
    return html`at an unknown time`;
  }
  const text = at.toISOString();
  return html`<time datetime="${text}">${text.slice(0, 16).replace("T", " ")} UTC</time>`;
}

/** A length as people read it: bytes up to 999, then kB and MB with one digit after the point. */
export function fileSize(bytes: number): string {
  if (bytes < 1000) {
    return bytes === 1 ? "1 byte" : `${bytes} bytes`;
  }
  return bytes < 999_950 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/** A table whose rows become cards in a narrow window. A cell of `cells` is the markup between its `<td>` tags. */
export function cardTable(columns: readonly { name: string; whole?: boolean }[], rows: readonly Html[][]): Html {
  const head = columns.map(({ name }) => html`<th scope="col">${name}</th>`);
  const cell = (content: Html, index: number) =>
    html`<td data-column="${columns[index]?.name ?? ""}"${columns[index]?.whole ? html` class="whole"` : null}><div>${content}</div></td>`;
  const body = rows.map((cells) => html`<tr>${cells.map(cell)}</tr>`);
  return html`<div class="scroll"><table class="wide cards"><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table></div>`;
}

export const pageSize = 30;

/** The number of the page asked for, from 1. */
export function pageNumber(query: URLSearchParams): number {
  const text = query.get("page") ?? "1";
  return /^[1-9]\d{0,6}$/.test(text) ? Number(text) : 1;
}

/** Links to the pages before and after; nothing where there is one page. */
export function pager(here: string, page: number, total: number): Html | null {
  const last = Math.ceil(total / pageSize);
  if (last <= 1) {
    return null;
  }
  const before = page > 1 ? html`<a href="${here}?page=${Math.min(page - 1, last)}" rel="prev">Previous</a>` : null;
  const after = page < last ? html`<a href="${here}?page=${page + 1}" rel="next">Next</a>` : null;
  return html`<nav aria-label="Pages"><p>${before} Page ${page} of ${last} ${after}</p></nav>`;
}

/** Repositories, with their owner's name where they are of several. */
export function repositoryList(root: string, rows: readonly RepositoryAccess[], withOwner: boolean): Html {
  if (rows.length === 0) {
    return html`<p>There are no repositories that you can see.</p>`;
  }
  const items = rows.map(
    (
      access,
    ) => html`<li><a href="${repositoryLink(root, access)}">${withOwner ? `${access.owner.name}/` : ""}${access.repository.name}</a>
      ${tags(access)}${access.repository.description === "" ? null : html`<p>${access.repository.description}</p>`}</li>`,
  );
  return html`<ul class="list">${items}</ul>`;
}

export function tags({ repository }: RepositoryAccess): Html {
  const words = [
    repository.private && "private",
    repository.archivedAt !== null && "archived",
    repository.template && "template",
  ].filter((word) => word !== false);
  return html`${words.map((word) => html`<span class="tag">${word}</span> `)}`;
}
