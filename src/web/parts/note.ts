import type { IconName } from "../assets/icons.ts";
import type { Reader } from "../frame/reader.ts";
import { html, type Html, type HtmlValue } from "../html.ts";
import { icon } from "./icon.ts";

export type NoteKind = "bad" | "good" | "warn" | "info";

const icons: Readonly<Record<NoteKind, IconName>> = {
  bad: "circle-alert",
  good: "circle-check",
  warn: "triangle-alert",
  info: "info",
};

/** A message above what it is about. A screen reader reads it out as it appears. */
export function note(reader: Reader, kind: NoteKind, content: HtmlValue): Html | null {
  return content === null
    ? null
    : html`<div class="note ${kind}" role="${kind === "bad" ? "alert" : "status"}">${icon(reader, icons[kind])}<p>${content}</p></div>`;
}

/** What stands in the place of a list that has nothing: what belongs there, and what to do next. */
export function empty(reader: Reader, name: IconName, title: string, next: HtmlValue): Html {
  return html`<div class="empty">${icon(reader, name)}<h2>${title}</h2>${next === null ? null : html`<p>${next}</p>`}</div>`;
}
