import { expect, test } from "bun:test";
import { html, trusted } from "../html.ts";
import { markRanges } from "./mark-ranges.ts";

test("marks stand around ranges of the text, whatever its markup", () => {
  const line = trusted('<i class="k">let</i> a &lt; &quot;é😀&quot;;');
  expect(markRanges(line, []).text).toBe(line.text);
  expect(markRanges(line, [[4, 7]]).text).toBe('<i class="k">let</i> <b>a &lt;</b> &quot;é😀&quot;;');
  expect(
    markRanges(line, [
      [1, 5],
      [9, 12],
    ]).text,
  ).toBe('<i class="k">l<b>et</b></i><b> a</b> &lt; &quot;<b>é😀</b>&quot;;');
  expect(markRanges(html`a${"<b>"}c`, [[1, 99]]).text).toBe("a<b>&lt;b&gt;c</b>");
});

test("ranges that touch are marks of their own, and one behind the end marks nothing", () => {
  const ranges = [
    [0, 1],
    [1, 2],
    [7, 9],
  ] as const;
  expect(markRanges(html`abc`, ranges).text).toBe("<b>a</b><b>b</b>c");
});
