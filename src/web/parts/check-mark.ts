import type { StatusState } from "../../db/schema/statuses.ts";
import type { IconName } from "../assets/icons.ts";
import type { Reader } from "../frame/reader.ts";
import { html, type Html } from "../html.ts";
import { icon } from "./icon.ts";

const marks: Readonly<Record<StatusState, { icon: IconName; colour: string; words: string }>> = {
  success: { icon: "check", colour: "green", words: "All checks passed" },
  skipped: { icon: "check", colour: "green", words: "All checks passed" },
  pending: { icon: "circle-dot", colour: "amber", words: "Checks are running" },
  warning: { icon: "triangle-alert", colour: "amber", words: "A check warns" },
  failure: { icon: "x", colour: "red", words: "A check failed" },
  error: { icon: "x", colour: "red", words: "A check could not run" },
};

/** The combined state of a commit's checks; nothing for a commit without any. `href`: the page of the checks. */
export function checkMark(reader: Reader, state: StatusState | undefined, href: string | null = null): Html | null {
  if (state === undefined) {
    return null;
  }
  const { icon: name, colour, words } = marks[state];
  const content = html`${icon(reader, name)}<span class="sr">${words}</span>`;
  return href === null
    ? html`<span class="${colour}" title="${words}">${content}</span>`
    : html`<a class="mark ${colour}" title="${words}" href="${href}" rel="nofollow">${content}</a>`;
}
