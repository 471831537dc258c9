import { expect, test } from "bun:test";
import { html, trusted } from "../html.ts";
import { hiddenIn, markHidden } from "./hidden-characters.ts";

test("says what a text hides: turned directions, and characters that do not show", () => {
  expect(hiddenIn("plain\ttext\r\n é 漢 👩‍👩‍👧 می‌خواهم")).toEqual({ turns: false, isInvisible: false });
  expect(hiddenIn("\uFEFFbegins with a mark")).toEqual({ turns: false, isInvisible: false });
  expect(hiddenIn("if (a\u202E)").turns).toBe(true);
  for (const character of ["\u200B", "\uFEFF", "\u{E0101}", "\u3164", "\u200D"]) {
    expect(hiddenIn(`a${character}b`).isInvisible).toBe(true);
  }
});

test("marks each of them in its place, and leaves everything else", () => {
  const line = trusted('<i class="k">let</i> a\u202E = &quot;\u200B\x1b&quot;;\r');
  expect(markHidden(line).text).toBe(
    '<i class="k">let</i> a<bdi class="hidden" data-is="U+202E">\u202E</bdi> = &quot;<bdi class="hidden" data-is="U+200B">\u200B</bdi><bdi class="hidden" data-is="U+001B">\x1b</bdi>&quot;;\r',
  );
  const plain = html`${"a\tb & 漢"}`;
  expect(markHidden(plain)).toBe(plain);
});
