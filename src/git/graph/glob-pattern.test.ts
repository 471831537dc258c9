import { expect, test } from "bun:test";
import { GlobPattern } from "./glob-pattern.ts";

/** Cases of git's own behaviour, as `git check-ignore` and its documentation have it. */
test.each([
  ["foo", "foo", true], ["foo", "bar", false], ["?", "a", true], ["?", "/", false], ["*", "a.b", true], ["*", "a/b", false],
  ["a*c", "abbc", true], ["a*c", "ab/c", false], ["**/foo", "foo", true], ["**/foo", "a/b/foo", true], ["**/foo", "afoo", false],
  ["a/**", "a/b/c", true], ["a/**", "a", false], ["a/**/b", "a/b", true], ["a/**/b", "a/x/y/b", true], ["a/**/b", "a/xb", false],
  ["a**b", "axyb", true], ["a**b", "ax/yb", false], ["**", "a/b", true], ["[a-c]x", "bx", true], ["[!a-c]x", "bx", false], ["[^a-c]x", "dx", true],
  ["[]a]", "]", true], ["[a-]", "-", true], ["[[:digit:]x]", "7", true], ["[[:nonsense:]]", "n", false], ["[a", "a", false],
  ["\\*", "*", true], ["\\*", "a", false], ["a\\", "a", false], ["[\\]]", "]", true], ["[!a]", "/", false], ["", "", true], ["*", "", true],
] as const)("%p and %p: %p", (pattern, text, expected) => {
  expect(new GlobPattern(pattern, true).matches(text)).toBe(expected);
});

test("in names a slash is like any other byte", () => {
  expect(new GlobPattern("a*b", false).matches("a/b")).toBe(true);
});

test("a pattern of many stars takes no longer than its length times that of the text", () => {
  const begin = performance.now();
  expect(new GlobPattern("*a".repeat(40), true).matches("a".repeat(2000) + "b")).toBe(false);
  expect(new GlobPattern("**/".repeat(40) + "x", true).matches("a/".repeat(1000))).toBe(false);
  expect(performance.now() - begin).toBeLessThan(500);
});
