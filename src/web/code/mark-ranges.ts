import { trusted, type Html } from "../html.ts";

/** A tag, an entity or a character: what a line of code consists of. */
const piece = /<[^>]*>|&[^;]*;|[^<&]/gy;

/**
 * A line of code with `<b>` around ranges of its text, in order and apart from each other: [from, to) in UTF-16 code units.
 * A mark that covers several coloured words is ended and begun again in each.
 */
export function markRanges(line: Html, ranges: readonly (readonly [from: number, to: number])[]): Html {
  if (ranges.length === 0) {
    return line;
  }
  let markup = "";
  let at = 0;
  let next = 0;
  let isOpen = false;
  const close = (): void => {
    markup += isOpen ? "</b>" : "";
    isOpen = false;
  };
  for (const [text] of line.text.matchAll(piece)) {
    if (text.startsWith("<")) {
      close();
      markup += text;
      continue;
    }
    while (next < ranges.length && ranges[next]![1] <= at) {
      close();
      next++;
    }
    const isMarked = next < ranges.length && ranges[next]![0] <= at;
    if (isMarked && !isOpen) {
      markup += "<b>";
      isOpen = true;
    }
    markup += text;
    at++;
  }
  close();
  return trusted(markup);
}
