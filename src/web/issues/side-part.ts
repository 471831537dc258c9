import { html, type Html } from "../html.ts";
import { icon } from "../parts/icon.ts";
import type { Visit } from "../visit.ts";

/** A part of the column beside an issue: what is set, and a form that sets it, folded, for those who may. */
export function part(
  visit: Visit,
  title: string,
  shown: Html,
  form: { address: string; fields: Html; verb?: string } | null,
): Html {
  return html`<section><h2>${title}</h2>${shown}${
    form !== null &&
    html`<details class="change"><summary class="small"><span class="link">${icon(visit, "pencil")}${form.verb ?? "Change"}<span class="sr"> ${title.toLowerCase()}</span></span></summary><form class="stack s" method="post" action="${form.address}">${visit.formField()}${form.fields}<button class="button s">Save</button></form></details>`
  }</section>`;
}
