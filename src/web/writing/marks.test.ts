import { describe, expect, test } from "bun:test";
import { indent, nextItem, openWord, quoted, tools, type Edit, type Selected } from "./marks.ts";

/** A text whose selection is between two bars; with one bar nothing is selected. */
function read(marked: string): Selected {
  const [before = "", inner = "", after] = marked.split("|");
  return after === undefined
    ? { text: before + inner, from: before.length, to: before.length }
    : { text: before + inner + after, from: before.length, to: before.length + inner.length };
}

function write({ text }: Selected, edit: Edit | null): string | null {
  if (edit === null) {
    return null;
  }
  const now = text.slice(0, edit.from) + edit.put + text.slice(edit.to);
  const [from, to] = edit.select;
  return from === to
    ? `${now.slice(0, from)}|${now.slice(from)}`
    : `${now.slice(0, from)}|${now.slice(from, to)}|${now.slice(to)}`;
}

const use = (tool: string, marked: string) => write(read(marked), tools[tool]?.(read(marked)) ?? null);

describe("the tools of a text", () => {
  test.each([
    ["bold", "a |b| c", "a **|b|** c"],
    ["bold", "a **|b|** c", "a |b| c"],
    ["italic", "|", "_|italic|_"],
    ["code", "|a\nb|", "```|\na\nb\n```"],
    ["heading", "a\nb|c", "a\n### bc|"],
    ["quote", "|a\n\nb|", "|> a\n\n> b|"],
    ["quote", "|> a\n> b|", "|a\nb|"],
    ["list", "|1. a\n2. b|", "|- a\n- b|"],
    ["numbers", "|a\nb|", "|1. a\n2. b|"],
    ["tasks", "|- a\n- b|", "|- [ ] a\n- [ ] b|"],
    ["tasks", "- [x] a|", "a|"],
    ["link", "see |this|", "see [this](|https://|)"],
    ["link", "|https://example.org|", "[|text|](https://example.org)"],
    ["mention", "hello|", "hello @|"],
    ["reference", "|", "#|"],
  ])("%s: %j becomes %j", (tool, before, after) => {
    expect(use(tool, before)).toBe(after);
  });

  test("a table comes on lines of its own", () => {
    const words = { text: "words", from: 5, to: 5 };
    const edit = tools["table"]?.(words);
    expect(edit?.put).toBe("\n\n| Column | Column |\n| --- | --- |\n|  |  |\n");
    expect(edit?.select).toEqual([9, 15]);
  });
});

test.each([
  ["- a|", "- a\n- |"],
  ["  9. a|", "  9. a\n  10. |"],
  ["- [x] a|", "- [x] a\n- [ ] |"],
  ["- a\n- |", "- a\n|"],
  ["a|", null],
])("Enter in %j gives %j", (before, after) => {
  expect(write(read(before), nextItem(read(before)))).toBe(after);
});

test.each([
  ["- a|", false, "  - a|"],
  ["  - a|", true, "- a|"],
  ["|a\nb|", false, "|  a\n  b|"],
  ["a|", false, null],
])("Tab in %j (back: %p) gives %j", (before, isBack, after) => {
  expect(write(read(before), indent(read(before), isBack))).toBe(after);
});

test.each([
  ["hello @ma|", { sign: "@", typed: "ma", at: 6 }],
  ["(#12|", { sign: "#", typed: "12", at: 1 }],
  [":ta|", { sign: ":", typed: "ta", at: 0 }],
  [":t|", null],
  ["a@b|", null],
  ["https://x/#|", null],
])("the word before the caret of %j is %j", (before, found) => {
  expect(openWord(read(before))).toEqual(found);
});

test("a quotation has room for the answer", () => {
  expect(quoted("a\n\nb\n")).toBe("> a\n>\n> b\n\n");
});
