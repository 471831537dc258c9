import type { IconName } from "../assets/icons.ts";
import { html, type Html, type HtmlValue } from "../html.ts";
import { icon } from "../parts/icon.ts";
import type { Visit } from "../visit.ts";

/** How something stands: it is done, it waits, it is in the way, or it is only told. */
export type Standing = "done" | "waits" | "bad" | "told" | "merged";

const signs: Readonly<Record<Standing, { icon: IconName; colour: string; words: string }>> = {
  done: { icon: "circle-check", colour: "green", words: "Done:" },
  waits: { icon: "clock", colour: "amber", words: "Waiting:" },
  bad: { icon: "circle-alert", colour: "red", words: "In the way:" },
  told: { icon: "circle-dot", colour: "faint", words: "" },
  merged: { icon: "circle-check", colour: "violet", words: "" },
};

/** A line of the merge box: what there is to say, and below it who can do what about it. */
export function mergeLine(visit: Visit, standing: Standing, title: HtmlValue, more: HtmlValue = null): Html {
  const { icon: name, colour, words } = signs[standing];
  return html`<li><span class="${colour}">${icon(visit, name)}</span><div class="grow stack s"><div>${words !== "" && html`<span class="sr">${words} </span>`}${title}</div>${more !== null && more !== false && html`<div class="soft">${more}</div>`}</div></li>`;
}
