import type { CountedReaction } from "../../domain/work/comments/reaction-queries.ts";
import { html, type Html } from "../html.ts";
import { icon } from "../parts/icon.ts";
import type { Visit } from "../visit.ts";

/** The signs of the reactions that the family has. A server may allow others: they are shown by their names. */
const signs: Readonly<Record<string, string>> = {
  "+1": "👍",
  "-1": "👎",
  laugh: "😄",
  hooray: "🎉",
  confused: "😕",
  heart: "❤️",
  rocket: "🚀",
  eyes: "👀",
};

const sign = (name: string): Html =>
  html`<span aria-hidden="true">${signs[name] ?? name}</span><span class="sr">${name}</span>`;

const button = (name: string, count: number | null, mine: boolean) =>
  html`<button class="button s${mine ? " on" : ""}" name="${mine ? "take" : "give"}" value="${name}" aria-pressed="${String(mine)}">${sign(name)}${count !== null && html` ${count}`}</button>`;

/**
 * The reactions to one text. Each is a button that gives or takes back one's own, where the visitor may.
 * `commentId` null: to the issue itself.
 */
export function reactionBar(
  visit: Visit,
  address: string,
  commentId: number | null,
  { given, offered, mayReact }: { given: readonly CountedReaction[]; offered: readonly string[]; mayReact: boolean },
): Html | null {
  if (!mayReact) {
    return given.length === 0
      ? null
      : html`<div class="react">${given.map(({ content, count }) => html`<span class="tag">${sign(content)} ${count}</span>`)}</div>`;
  }
  const id = `react-${commentId ?? "issue"}`;
  const missing = offered.filter((name) => !given.some(({ content }) => content === name));
  return html`<form class="react" method="post" action="${address}/react">${visit.formField()}${commentId !== null && html`<input type="hidden" name="comment" value="${commentId}">`}${given.map(({ content, count, mine }) => button(content, count, mine))}${missing.length > 0 && html`<button type="button" class="button s bare icon" popovertarget="${id}" aria-label="React">${icon(visit, "smile")}</button><div class="menu start" id="${id}" popover>${missing.map((name) => button(name, null, false))}</div>`}</form>`;
}
