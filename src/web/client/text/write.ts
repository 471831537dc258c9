import type { Edit, Selected } from "../../writing/marks.ts";

export function selectedIn({ value, selectionStart, selectionEnd }: HTMLTextAreaElement): Selected {
  return { text: value, from: selectionStart, to: selectionEnd };
}

/** Changes the text of a field as typing does, so that undoing takes it back, and tells those who listen to it. */
export function write(field: HTMLTextAreaElement, { from, to, put, select }: Edit): void {
  field.focus();
  field.setSelectionRange(from, to);
  // The one way that keeps the browser's own list of changes. Where it is gone, undoing is what is lost.
  const isDone = put === "" ? document.execCommand("delete") : document.execCommand("insertText", false, put);
  if (!isDone && field.value.slice(from, from + put.length) !== put) {
    field.setRangeText(put, from, to);
    field.dispatchEvent(new Event("input", { bubbles: true }));
  }
  field.setSelectionRange(...select);
}

/** Replaces the first place of a text by another, wherever the caret is, which stays. */
export function replaceIn(field: HTMLTextAreaElement, before: string, after: string): void {
  const at = field.value.indexOf(before);
  if (at !== -1) {
    field.setRangeText(after, at, at + before.length, "preserve");
    field.dispatchEvent(new Event("input", { bubbles: true }));
  }
}
