import { describe, expect, test } from "bun:test";
import { replaceLines, splitSuggestions } from "./suggestions.ts";

describe("splitSuggestions", () => {
  test("finds blocks between texts, empty ones, and one that nothing ends", () => {
    expect(
      splitSuggestions("Better:\n```suggestion\na\n  b\n```\nor\n~~~ suggestion\n~~~\n```suggestion\nlast"),
    ).toEqual([
      { kind: "text", text: "Better:" },
      { kind: "suggestion", lines: ["a", "  b"] },
      { kind: "text", text: "or" },
      { kind: "suggestion", lines: [] },
      { kind: "suggestion", lines: ["last"] },
    ]);
  });

  test("leaves other blocks as they are, also those that show how to write one", () => {
    const text = "````md\n```suggestion\na\n```\n````\n```js\n```\n    ```suggestion\nb";
    expect(splitSuggestions(text)).toEqual([{ kind: "text", text }]);
  });

  test("a longer fence holds a shorter one", () => {
    expect(splitSuggestions("````suggestion\n```\ncode\n```\n````")).toEqual([
      { kind: "suggestion", lines: ["```", "code", "```"] },
    ]);
  });
});

describe("replaceLines", () => {
  test("replaces, deletes and adds lines, whatever their order", () => {
    const text = "1\n2\n3\n4\n5\n";
    const at = (first: number, last: number, ...lines: string[]) => ({ first, last, lines });
    expect(replaceLines(text, [at(1, 1, "one"), at(4, 5, "four"), at(2, 3)])).toBe("one\nfour\n");
    expect(replaceLines(text, [at(2, 2, "2", "2a")])).toBe("1\n2\n2a\n3\n4\n5\n");
  });

  test("keeps how lines end, and an end without a line feed", () => {
    expect(replaceLines("1\r\n2\r\n", [{ first: 1, last: 1, lines: ["a", "b"] }])).toBe("a\r\nb\r\n2\r\n");
    expect(replaceLines("1\n2", [{ first: 2, last: 2, lines: ["a", "b"] }])).toBe("1\na\nb");
  });

  test("refuses two for one line, and lines that are not there", () => {
    const one = { first: 1, last: 2, lines: ["x"] };
    expect(() => replaceLines("1\n2\n3\n", [one, { first: 2, last: 3, lines: [] }])).toThrow("line 2");
    expect(() => replaceLines("1\n2\n3\n", [one, one])).toThrow("line 2");
    expect(() => replaceLines("1\n", [one])).toThrow("no line 2");
  });
});
