import { html, type Html } from "../html.ts";
import { note } from "../parts/note.ts";
import { fileSize, wholeNumber } from "../parts/size.ts";
import { icon } from "../parts/icon.ts";
import type { Visit } from "../visit.ts";
import type { Hidden } from "../code/hidden-characters.ts";
import type { TextPart } from "./text-part.ts";

/** What a reader should know before they trust what they see of a text. */
export function textNotes(
  visit: Visit,
  { encoding, replaced }: TextPart,
  { turns, isInvisible }: Hidden,
  isCut: boolean,
): Html | null {
  const turned =
    turns &&
    note(
      visit,
      "warn",
      html`<b>This file has characters that turn the direction of text.</b> It may run otherwise than it reads. They are marked in the lines.`,
    );
  const unseen =
    isInvisible &&
    note(visit, "warn", html`<b>This file has characters that do not show.</b> They are marked in the lines.`);
  const broken =
    replaced > 0 &&
    note(
      visit,
      "info",
      html`${replaced === 1 ? "One place has" : `${wholeNumber(replaced)} places have`} bytes that are not ${encoding}. They are shown as �.`,
    );
  const other = encoding !== "UTF-8" && note(visit, "info", html`The file is not UTF-8. It is read as ${encoding}.`);
  const cut = isCut && note(visit, "info", "These are more lines than a page can show. The first ones are here.");
  return turned || unseen || broken || other || cut
    ? html`<div class="body stack s">${cut}${turned}${unseen}${broken}${other}</div>`
    : null;
}

/** Links between the parts of a large text; nothing where there is one. */
export function partNav(visit: Visit, part: TextPart, lines: number): Html | null {
  const { number, parts, firstLine, from, to } = part;
  if (parts === 1) {
    return null;
  }
  const { pathname } = new URL(visit.request.url);
  const href = (to: number) => {
    const query = new URLSearchParams(visit.query);
    query.set("part", String(to));
    return `${visit.root}${pathname}?${query.toString()}`;
  };
  return html`<nav class="parts split" aria-label="Parts of the file"><span class="soft num">Part ${number} of ${parts}: lines ${wholeNumber(firstLine)}–${wholeNumber(firstLine + Math.max(lines, 1) - 1)}, ${fileSize(to - from)}</span>
    <span class="group">${number > 1 && html`<a class="button" rel="prev" href="${href(number - 1)}">${icon(visit, "chevron-left")}Before</a>`}${number < parts && html`<a class="button" rel="next" href="${href(number + 1)}">Next part${icon(visit, "chevron-right")}</a>`}</span></nav>`;
}
