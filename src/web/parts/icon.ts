import { spriteAddress } from "../assets/assets.ts";
import type { IconName } from "../assets/icons.ts";
import type { Reader } from "../frame/reader.ts";
import { html, type Html } from "../html.ts";

/** A drawing of 16 pixels beside a text. A screen reader passes over it. */
export function icon({ root }: Reader, name: IconName, classes = ""): Html {
  return html`<svg class="i${classes === "" ? "" : ` ${classes}`}" aria-hidden="true"><use href="${root}${spriteAddress}#${name}"/></svg>`;
}
