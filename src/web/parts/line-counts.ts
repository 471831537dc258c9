import { html, type Html } from "../html.ts";
import { wholeNumber } from "./size.ts";

/** How many lines were added and removed. */
export function lineCounts(additions: number, deletions: number): Html {
  return html`<span class="num counts"><span class="green"><span class="sr">added </span>+${wholeNumber(additions)}</span> <span class="red"><span class="sr">removed </span>−${wholeNumber(deletions)}</span></span>`;
}
