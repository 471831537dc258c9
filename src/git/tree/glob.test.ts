import { describe, expect, test } from "bun:test";
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
