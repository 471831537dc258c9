import { typedText } from "../../domain/git/contents/line-endings.ts";
import type { FileConflict } from "../../git/operations/read-conflicts.ts";
import { html, type Html } from "../html.ts";
import { note } from "../parts/note.ts";
import type { Visit } from "../visit.ts";

/** A file with a conflict of lines, as its form shows it. */
export interface ConflictField {
  readonly path: string;
  readonly base: string;
  readonly ours: string;
  readonly theirs: string;
  /** With markers. */
  readonly merged: string;
  /** Stands for the versions that the texts are of. */
  readonly seen: string;
}

/** The markers that git writes around what both sides changed. */
const marker = /^(?:<{7}|={7}|>{7}|\|{7})(?: .*)?$/m;

export function hasMarkers(text: string): boolean {
  return marker.test(text);
}

/** The texts of a conflict; null where it is not of lines alone, or of no UTF-8 text. */
export function conflictField({ path, stages, texts }: FileConflict): ConflictField | null {
  if (texts === null) {
    return null;
  }
  const [base, ours, theirs, merged] = [texts.base ?? new Uint8Array(), texts.ours, texts.theirs, texts.merged].map(
    (bytes) => typedText(bytes),
  );
  return base == null || ours == null || theirs == null || merged == null
    ? null
    : { path, base, ours, theirs, merged, seen: stages.map(({ oid }) => oid.slice(0, 12)).join(".") };
}

interface Sides {
  readonly head: string;
  readonly base: string;
}

function pane(title: Html, content: string): Html {
  return html`<figure><figcaption>${title}</figcaption><pre tabindex="0" dir="auto">${content}</pre></figure>`;
}

/** A file: its three versions beside each other, and the text that takes their place. `problem`: what is wrong with that one. */
export function conflictPanel(
  visit: Visit,
  { path, base, ours, theirs, seen }: ConflictField,
  at: number,
  { text, sides, problem, isNewer }: { text: string; sides: Sides; problem: string | null; isNewer: boolean },
): Html {
  const take = (what: string, words: string) =>
    html`<button class="button s" name="take" value="${at} ${what}" formnovalidate>${words}</button>`;
  const id = `text_${at}`;
  return html`<section class="panel edge conflict" aria-label="${path}"><header><span class="path grow" dir="auto">${path}</span></header>
<input type="hidden" name="path_${at}" value="${path}"><input type="hidden" name="seen_${at}" value="${seen}">
${isNewer && html`<div class="body">${note(visit, "warn", "This file has changed since you began. Your text is below: take over what is new beside it.")}</div>`}
<details open><summary class="body">The three versions</summary><div class="panes">${pane(html`Before both`, base)}${pane(html`<span class="ref">${sides.head}</span>`, ours)}${pane(html`<span class="ref">${sides.base}</span>`, theirs)}</div></details>
<div class="line flow body"><span class="soft grow">Take</span>${take("ours", `The version of ${sides.head}`)}${take("theirs", `The version of ${sides.base}`)}${take("merged", "Both, with markers")}</div>
<label class="sr" for="${id}">Text of ${path}</label><code-editor data-name="${path}"><textarea class="code" id="${id}" name="${id}" rows="20" wrap="off" spellcheck="false" autocapitalize="off" autocomplete="off"${problem !== null && html` aria-invalid="true" aria-describedby="${id}_problem"`}>
${text}</textarea></code-editor>${problem !== null && html`<p class="problem body" id="${id}_problem">${problem}.</p>`}</section>`;
}
