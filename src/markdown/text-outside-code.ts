/** The begin of a line that begins or ends a block of code. */
const fenceLine = /^ {0,3}(`{3,}|~{3,})/gm;
/** Behind so many such lines nothing is read. */
const mostFenceLines = 10_000;
const inlineCode = /`[^`\n]*`/g;

/**
 * The pieces of a Markdown text that stand in no code, each of whole lines. It reads lines and no grammar, and takes a few
 * milliseconds for a megabyte, also of a text made to keep a parser busy. Behind 10,000 lines that begin or end a block of code it reads nothing.
 */
export function* textOutsideCode(text: string): Generator<string> {
  let fence: string | null = null;
  let start = 0;
  let fences = 0;
  for (const { 1: mark = "", index } of text.matchAll(fenceLine)) {
    if (++fences > mostFenceLines) {
      return;
    }
    if (fence === null) {
      if (index > start) {
        yield text.slice(start, index).replace(inlineCode, " ");
      }
      fence = mark;
    } else if (mark.startsWith(fence)) {
      fence = null;
      const end = text.indexOf("\n", index);
      start = end < 0 ? text.length : end;
    }
  }
  if (fence === null && start < text.length) {
    yield text.slice(start).replace(inlineCode, " ");
  }
}
