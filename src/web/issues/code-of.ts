import type { RepositoryAccess } from "../../auth/subject.ts";
import type { LinePlaceRow } from "../../domain/work/reviews/comment-queries.ts";
import { html, type Html } from "../html.ts";
import { sourceLink } from "../links.ts";
import type { Visit } from "../visit.ts";

/** So many lines of the patch above a comment are shown. */
const shownLines = 6;

const colour = (text: string): string => (text.startsWith("+") ? "add" : text.startsWith("-") ? "del" : "");

/** The code that a comment on a line is about, as it was when the comment was made, and where that is. */
export function codeOf(visit: Visit, access: RepositoryAccess, place: LinePlaceRow): Html {
  const { path, line, diffHunk, invalidated, resolvedAt } = place;
  const commit = Buffer.from(place.commitOid).toString("hex");
  const lines = diffHunk.split("\n").slice(-shownLines);
  return html`<figure class="snippet"><figcaption><a class="path cut" href="${sourceLink(visit.root, access, { kind: "commit", name: commit }, path)}#L${line}">${path}</a><span class="faint">line ${line}</span>${invalidated && html`<span class="tag">Outdated</span>`}${resolvedAt !== null && html`<span class="tag green">Resolved</span>`}</figcaption><pre tabindex="0">${lines.map((text) => html`<span class="${colour(text)}">${text}</span>\n`)}</pre></figure>`;
}
