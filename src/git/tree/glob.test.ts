import { describe, expect, test } from "bun:test";
import { randomFrom } from "../../../test/support/random.ts";
import { patternWork } from "../../lib/pattern-steps.ts";
import { compileGlob } from "./glob.ts";

const matches = (pattern: string, path: string) => compileGlob(pattern)(path);

describe("matches", () => {
  test.each([
    ["", ""],
    ["abc", "abc"],
    ["a?c", "abc"],
    ["*", ""],
    ["*", "abc"],
    ["*.c", "main.c"],
    ["*.c", ".c"],
    ["*.[ch]", "main.h"],
    ["*/[ab]?", "x/ay"],
    ["a*/b", "abc/b"],
    ["a***c", "abbc"],
    ["**/a", "a"],
    ["**/a", "b/c/a"],
    ["a/**/b", "a/b"],
    ["a/**/b", "a/x/y/b"],
    ["a/**", "a/x/y"],
    ["**", "a/b"],
    ["a/**/**/b", "a/b"],
    ["[a-c]x", "bx"],
    ["[!a-c]x", "dx"],
    ["[^a]", "b"],
    ["[]a]", "]"],
    ["[a\\]b]", "]"],
    ["[a-]", "-"],
    ["[[:digit:][:upper:]]", "7"],
    ["[[:digit:]-z]", "-"],
    ["[[:x]", ":"],
    ["\\*", "*"],
    ["\xff*", "\xff\xfe"],
    ["a**b", "axyb"],
    ["[^a-c]x", "dx"],
    ["[[:digit:]x]", "7"],
    ["[\\]]", "]"],
  ])("%p %p", (pattern, path) => {
    expect(matches(pattern, path)).toBe(true);
  });
});

describe("does not match", () => {
  test.each([
    ["", "a"],
    ["abc", "ab"],
    ["a?c", "a/c"],
    ["*", "a/b"],
    ["*.c", "a/b.c"],
    ["*[ab]", "c"],
    ["*.c", "c"],
    ["a*b", "a/b"],
    ["a**b", "a/b"],
    ["a/**/b", "ab"],
    ["a/**/b", "a/xb"],
    ["**/a", "ba"],
    ["a/**", "a"],
    ["[!a]", "/"],
    ["[/]", "/"],
    ["[a-c]", "d"],
    ["[c-a]", "b"],
    ["[abc", "a"],
    ["[[:none:]]", "a"],
    ["a\\", "a\\"],
  ])("%p %p", (pattern, path) => {
    expect(matches(pattern, path)).toBe(false);
  });
});

test("a pattern made to take for ever does not", () => {
  const glob = compileGlob(`${"*a".repeat(500)}b`);
  expect(glob("a".repeat(4000))).toBe(false);
  expect(compileGlob(`${"**/".repeat(300)}x`)(`${"a/".repeat(1000)}y`)).toBe(false);
});

test("what a pattern costs depends on the path alone when it is only stars", () => {
  const path = "a/b/c/d/file";
  const cost = (pattern: string) => {
    const glob = compileGlob(pattern);
    const before = patternWork();
    expect(glob(path)).toBe(false);
    return patternWork() - before;
  };
  const short = cost("**/x");
  expect(short).toBeGreaterThan(0);
  // 240 KB of it, as one line of a sparse specification.
  expect(cost(`${"**/".repeat(80_000)}x`)).toBe(short);
  expect(cost(`${"*".repeat(240_000)}/x`)).toBeLessThan(10 * path.length);
  // What is longer than the path cannot match it.
  expect(cost(`*${"ab".repeat(100_000)}*`)).toBe(0);
});

/** The rules of gitignore(5) once more, by trying everything: for short patterns. */
function matchesSlowly(pattern: string, path: string, isStart = true): boolean {
  const rest = (length: number, start: boolean, tail = path) => matchesSlowly(pattern.slice(length), tail, start);
  const suffixes = Array.from({ length: path.length + 1 }, (_, at) => path.slice(at));
  if (pattern === "") {
    return path === "";
  }
  const directories = isStart ? /^\*{2,}(\/|$)/.exec(pattern) : null;
  if (directories !== null) {
    const [all, end] = directories as unknown as [string, string];
    return (
      end === "" || suffixes.some((tail, at) => (at === 0 || path[at - 1] === "/") && rest(all.length, true, tail))
    );
  }
  if (pattern.startsWith("*")) {
    const stars = /^\*+/.exec(pattern)![0].length;
    return suffixes.some((tail, at) => !path.slice(0, at).includes("/") && rest(stars, false, tail));
  }
  const takes = pattern[0] === "?" ? path !== "" && path[0] !== "/" : path[0] === pattern[0];
  return takes && rest(1, pattern[0] === "/", path.slice(1));
}

test("random patterns match what the rules say", () => {
  const random = randomFrom(13);
  const parts = (from: string[], most: number) =>
    Array.from({ length: random.below(most) }, () => from[random.below(from.length)]).join("");
  let matched = 0;
  for (let round = 0; round < 20_000; round++) {
    const pattern = parts(["a", "b", "/", "*", "**/", "/**/", "?", "*a"], 7);
    const path = parts(["a", "b", "/", "a/", "b"], 8);
    const expected = matchesSlowly(pattern, path);
    matched += expected ? 1 : 0;
    expect({ pattern, path, matched: compileGlob(pattern)(path) }).toEqual({ pattern, path, matched: expected });
  }
  expect(matched).toBeGreaterThan(500);
});

test("random patterns of templates match as expressions do: two stars anything, one star no slash", () => {
  const random = randomFrom(17);
  const parts = (from: string[], most: number) =>
    Array.from({ length: random.below(most) }, () => from[random.below(from.length)]).join("");
  let matched = 0;
  for (let round = 0; round < 20_000; round++) {
    const pattern = parts(["a", "b", "/", "*", "**", "?", "[ab]"], 6);
    const path = parts(["a", "b", "/", "a/"], 7);
    const expression = pattern.replace(/\*{2,}|\*|\?/g, (one) => (one === "?" ? "[^/]" : one === "*" ? "[^/]*" : ".*"));
    const expected = new RegExp(`^${expression}$`).test(path);
    matched += expected ? 1 : 0;
    expect({ pattern, path, matched: compileGlob(pattern, "starred")(path) }).toEqual({
      pattern,
      path,
      matched: expected,
    });
  }
  expect(matched).toBeGreaterThan(500);
});
