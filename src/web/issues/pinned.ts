import type { FoundIssue } from "../../domain/work/issues/queries.ts";
import { html, type Html } from "../html.ts";
import { offers } from "../offers.ts";
import { icon } from "../parts/icon.ts";
import type { Visit } from "../visit.ts";
import { batchDeleteSpecs, unitOf } from "./batch-form.ts";
import type { Listed } from "./listed.ts";

/** The pinned issues of a repository. Those who may pin move them by buttons, and with the script by dragging. */
export function pinnedPanel(
  visit: Visit,
  list: Listed,
  found: readonly FoundIssue[],
  row: (found: FoundIssue) => Html | null,
): Html {
  const mayMove = found.length > 1 && offers(visit, batchDeleteSpecs[unitOf(list)]);
  const button = (position: number, sign: "chevron-up" | "chevron-down", words: string) =>
    position < 1 || position > found.length
      ? null
      : html`<button class="button s bare icon" name="position" value="${position}" aria-label="${words}">${icon(visit, sign)}</button>`;
  const forms =
    mayMove &&
    html`<span class="grow"></span><button type="button" class="button s bare" popovertarget="pin-order">Reorder</button><pin-order class="menu wide" id="pin-order" popover><ol class="rows">${found.map(({ issue }, index) => html`<li><form class="line grow" method="post" action="${list.base}/pins">${visit.formField()}<input type="hidden" name="number" value="${issue.number}"><span class="grow cut" dir="auto">${issue.title}</span>${button(index, "chevron-up", `Move ${issue.title} up`)}${button(index + 2, "chevron-down", `Move ${issue.title} down`)}</form></li>`)}</ol></pin-order>`;
  return html`<section class="panel edge pinned" aria-labelledby="pinned"><div class="head">${icon(visit, "pin")}<h2 id="pinned">Pinned</h2>${forms}</div><ul class="rows links issues">${found.map(row)}</ul></section>`;
}
