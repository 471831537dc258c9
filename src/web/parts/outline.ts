import type { Reader } from "../frame/reader.ts";
import { html, trusted, type Html } from "../html.ts";
import { icon } from "./icon.ts";

/** The most headings that an outline lists. */
const shownHeadings = 100;

/** The headings of a rendered document as links; null for one with less than two. */
export function outlineLinks({ text }: Html): Html | null {
  const found = [...text.matchAll(/<h([1-4]) id="([^"<>]+)"[^>]*>(.*?)<\/h\1>/gs)].slice(0, shownHeadings);
  // Rendered Markdown is sanitized: without its tags it is text that is escaped already.
  const links = found.map(
    ([, level = "", id = "", inner = ""]) =>
      html`<a class="level-${level}" href="#${trusted(id)}"><span class="cut">${trusted(inner.replaceAll(/<[^<>]*>/g, ""))}</span></a>`,
  );
  return found.length < 2 ? null : html`${links}`;
}

/** A button that opens the headings of a rendered document; null for one with less than two. */
export function outline(reader: Reader, document: Html): Html | null {
  const links = outlineLinks(document);
  return (
    links &&
    html`<button type="button" class="button s bare icon" popovertarget="outline" aria-label="Outline">${icon(reader, "list")}</button><div class="menu" id="outline" popover>${links}</div>`
  );
}
