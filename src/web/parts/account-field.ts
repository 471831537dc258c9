import { html, type Html } from "../html.ts";

/** Tells password managers whose password a form asks for. */
export function accountField(userName: string): Html {
  return html`<input type="text" autocomplete="username" value="${userName}" hidden readonly>`;
}
