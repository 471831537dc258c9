import type { Reader } from "../frame/reader.ts";
import { html, type Html } from "../html.ts";
import { icon } from "./icon.ts";

interface CopyOptions {
  readonly label: string;
  readonly isSmall?: boolean;
}

function button(reader: Reader, attributes: Html, { label, isSmall = false }: CopyOptions): Html {
  return html`<copy-button ${attributes}><button type="button" class="button icon${isSmall ? " s bare" : ""}" aria-label="${label}">${icon(reader, "copy")}</button></copy-button>`;
}

/** A button that copies a text. The script shows it, because without script it does nothing. */
export function copyButton(reader: Reader, text: string, options: CopyOptions): Html {
  return button(reader, html`data-text="${text}"`, options);
}

/** A button that copies the text of a file at an address, within a group of buttons. */
export function copyFile(reader: Reader, address: string, name: string): Html {
  return html`<copy-button data-file="${address}"><button type="button" class="button icon s" aria-label="Copy ${name}">${icon(reader, "copy")}</button></copy-button>`;
}

/** A button that copies the text of the element with this id. */
export function copyFrom(reader: Reader, id: string, options: CopyOptions): Html {
  return button(reader, html`data-from="${id}"`, options);
}
