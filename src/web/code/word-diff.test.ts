import { expect, test } from "bun:test";
import { diffWords } from "./word-diff.ts";

function marked(before: string, after: string): [string, string] {
  const { removed, added } = diffWords(before, after);
  const mark = (text: string, ranges: typeof removed) =>
    ranges
      .toReversed()
      .reduce((line, [from, to]) => `${line.slice(0, from)}[${line.slice(from, to)}]${line.slice(to)}`, text);
  return [mark(before, removed), mark(after, added)];
}

test.each([
  ["a b c", "a x c", "a [b] c", "a [x] c"],
  ["one", "one two", "one", "one[ two]"],
  ["let a = f(b);", "let a = g(b, c);", "let a = [f](b);", "let a = [g](b[, c]);"],
  ["no highlighted code here", "no search code here", "no [highlighted] code here", "no [search] code here"],
  ["  return x;", "    return x;", "[  ]return x;", "[    ]return x;"],
  ["größe = 1", "größe = 2", "größe = [1]", "größe = [2]"],
])("%j and %j", (before, after, old, now) => {
  expect(marked(before, after)).toEqual([old, now]);
});

test("two lines that have little in common are not compared by words", () => {
  expect(diffWords("return null;", "throw new Error(messageOf(problem))")).toEqual({ removed: [], added: [] });
  expect(diffWords("", "x")).toEqual({ removed: [], added: [] });
});

test("long lines cost little", () => {
  const line = (word: string) => `${"same ".repeat(500)}${`${word} `.repeat(5000)}${"end ".repeat(9000)}`;
  const began = performance.now();
  const { removed } = diffWords(line("one"), line("two"));
  expect(removed).toEqual([[2500, 2500 + 4 * 5000 - 1]]);
  expect(performance.now() - began).toBeLessThan(500);
});
