import type { Refusal } from "../errors.ts";
import { html, type Html } from "../html.ts";
import { field } from "./field.ts";

/** The field in which people type the name of what they delete. */
export function confirmField(refused: Refusal | null, name: string): Html {
  return html`${field(
    refused,
    { name: "confirm", label: `Type ${name} to confirm` },
    (attributes) => html`<input type="text" ${attributes} autocomplete="off" required>`,
  )}`;
}

/** The answer to a form in which something else than that name was typed. */
export function notConfirmed(name: string): Refusal {
  return { status: 422, message: `This is not ${name}`, field: "confirm" };
}
