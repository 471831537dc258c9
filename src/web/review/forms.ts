import type { Refusal } from "../errors.ts";
import { html, type Html } from "../html.ts";
import { editor } from "../parts/editor.ts";
import { problemAbove } from "../parts/field.ts";
import { note } from "../parts/note.ts";
import type { Visit } from "../visit.ts";
import { writeOn, type On } from "./on.ts";
import type { ThreadSetting } from "./thread-view.ts";

/** An open form, with what was typed into it. */
export interface Typed {
  readonly on: On;
  readonly text: string;
  readonly refused: Refusal | null;
  readonly preview: Html | null;
  /** The diff that the form was opened in; null: the one that is shown. */
  readonly seen: { readonly before: string; readonly after: string; readonly head: string } | null;
  /** The version of the text that is edited; null: the one that is shown. */
  readonly version: string | null;
}

function textField(visit: Visit, { on, text, refused, preview }: Typed, label: string): Html {
  const name = writeOn(on);
  const problem = refused?.field === "body" ? refused.message : null;
  return html`${note(visit, "bad", problemAbove(refused, ["body"]))}${editor(visit, { name: "body", id: `text-${name}`, label, text, problem, draft: name }, preview)}`;
}

function backField({ back }: ThreadSetting): Html | null {
  return back === null ? null : html`<input type="hidden" name="back" value="${back}">`;
}

/** The part of an address that leads back from a form. */
function cancel({ link }: Pick<ThreadSetting, "link">): Html {
  return html`<a class="button s bare" href="${link.replace(/[?&]on=$/, "")}" data-cancel>Cancel</a>`;
}

function lineField(name: string, label: string, value: number): Html {
  return html`<input class="number" type="number" name="${name}" aria-label="${label}" value="${value}" min="1" required>`;
}

/** The form that comments on lines. `path`: of the file on the side of the lines. */
export function linesForm(
  setting: ThreadSetting,
  typed: Typed & { readonly on: On & { readonly kind: "lines" } },
  path: string,
  seen: { readonly before: string | null; readonly after: string; readonly head: string },
): Html {
  const { visit, action, hasDraft } = setting;
  const { on, refused } = typed;
  const { before, after, head } = typed.seen ?? { ...seen, before: seen.before ?? "" };
  const isMoved = refused?.status === 409;
  return html`<form class="panel thread line-form" id="on" method="post" action="${action}" data-on="${writeOn(on)}">${visit.formField()}<input type="hidden" name="on" value="${writeOn(on)}"><input type="hidden" name="path" value="${path}"><input type="hidden" name="before" value="${before}"><input type="hidden" name="after" value="${after}"><input type="hidden" name="head" value="${head}">${isMoved && html`<input type="hidden" name="outdated" value="1">`}
<div class="head"><span class="soft small">${on.side === "old" ? "Old lines" : "Lines"}</span>${lineField("from", "From line", on.from)}–${lineField("line", "To line", on.line)}</div>
${textField(visit, typed, "Comment")}
<footer>${on.side === "new" && html`<button class="button s bare" name="suggest" value="1" formnovalidate>Suggest a change</button>`}<span class="grow"></span>${cancel(setting)}${!hasDraft && html`<button class="button s" name="how" value="alone">Comment now</button>`}<button class="button s main" name="how" value="draft">${hasDraft ? "Add to your review" : "Begin a review"}</button></footer></form>`;
}

/** The form that replies to a conversation. */
export function replyForm(setting: ThreadSetting, typed: Typed): Html {
  const { visit, action, hasDraft } = setting;
  return html`<form class="line-form" id="on" method="post" action="${action}" data-on="${writeOn(typed.on)}">${visit.formField()}${backField(setting)}<input type="hidden" name="on" value="${writeOn(typed.on)}">
${textField(visit, typed, "Reply")}
<footer><span class="grow"></span>${cancel(setting)}${hasDraft && html`<button class="button s" name="how" value="draft">Add to your review</button>`}<button class="button s main" name="how" value="alone">Reply</button></footer></form>`;
}

/** The form that writes another text of a comment, or deletes it. */
export function editForm(setting: ThreadSetting, typed: Typed, version: number): Html {
  const { visit, action } = setting;
  const seen = typed.refused?.status === 409 ? version : (typed.version ?? version);
  return html`<form class="line-form" id="on" method="post" action="${action}" data-on="${writeOn(typed.on)}">${visit.formField()}${backField(setting)}<input type="hidden" name="on" value="${writeOn(typed.on)}"><input type="hidden" name="version" value="${seen}">
${textField(visit, typed, "Text of the comment")}
<footer><button class="button s danger" name="delete" value="1" formnovalidate>Delete</button><span class="grow"></span>${cancel(setting)}<button class="button s main">Save</button></footer></form>`;
}
