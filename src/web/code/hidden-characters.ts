import { trusted, type Html } from "../html.ts";

/**
 * Characters that nobody sees and that change how a line reads: directions of writing ("Trojan Source"), spaces without width, soft
 * hyphens. Joiners are not among them, because emoji and scripts need them.
 */
const hidden = /[\u00AD\u061C\u180E\u200B\u200E\u200F\u202A-\u202E\u2060-\u2064\u2066-\u2069\uFEFF]/g;

export function hasHidden(text: string): boolean {
  return text.search(hidden) >= 0;
}

/** Code with a sign in the place of each hidden character. */
export function showHidden(line: Html): Html {
  return hasHidden(line.text)
    ? trusted(
        line.text.replaceAll(
          hidden,
          (one) => `<span class="hid">U+${one.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}</span>`,
        ),
      )
    : line;
}
