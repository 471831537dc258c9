import type { LabelRow } from "../../domain/work/issues/queries.ts";
import { html, type Html } from "../html.ts";

/** A dot of a label's colour. The colour is people's choice, so text never stands on it. */
export function labelDot({ color }: Pick<LabelRow, "color">): Html {
  return html`<svg class="dot" viewBox="0 0 8 8" aria-hidden="true"><circle cx="4" cy="4" r="4" fill="#${color}"/></svg>`;
}

/** The name of a label. What stands before the last slash of an exclusive one is its scope. */
function labelName({ name, exclusive }: Pick<LabelRow, "name" | "exclusive">): Html {
  const at = exclusive ? name.lastIndexOf("/") : -1;
  return at <= 0
    ? html`<span dir="auto">${name}</span>`
    : html`<span class="scope" dir="auto">${name.slice(0, at)}</span><span class="sr">/</span><span dir="auto">${name.slice(at + 1)}</span>`;
}

/** A label, as a link to the issues that have it where there is an address. */
export function labelTag(
  label: Pick<LabelRow, "name" | "color" | "description" | "exclusive">,
  href: string | null = null,
): Html {
  const about = label.description === "" ? null : html` title="${label.description}"`;
  const content = html`${labelDot(label)}${labelName(label)}`;
  return href === null
    ? html`<span class="tag"${about}>${content}</span>`
    : html`<a class="tag" href="${href}"${about}>${content}</a>`;
}
