import { describe, expect, test } from "bun:test";
import { InvalidInput } from "./errors.ts";
import { compileFilePatterns, compileNamePattern, isPlainName } from "./name-pattern.ts";
import { measureWork } from "../../test/support/process-work.ts";

const matches = (pattern: string, name: string) => compileNamePattern(pattern, "rule_name")(name);

describe("matches", () => {
  test.each([
    ["main", "main"],
    ["*", "main"],
    ["*", ""],
    ["release/*", "release/1.0"],
    ["release/**", "release/1/0"],
    ["release**", "release"],
    ["**", "a/b/c"],
    ["**/main", "a/b/main"],
    ["a/**/c", "a/b/b/c"],
    ["v?", "v1"],
    ["v[0-9]*", "v1.2"],
    ["[!a-c]", "d"],
    ["[^a-c]", "d"],
    ["[a-]", "-"],
    ["[\\]]", "]"],
    ["{main,release/*}", "main"],
    ["{main,release/*}", "release/2"],
    ["x{,y}z", "xz"],
    ["x{,y}z", "xyz"],
    ["{a,{b,c}d}", "cd"],
    ["\\*", "*"],
    ["a,b*", "a,b"],
    ["*-🎉", "x-🎉"],
    ["?", "🎉"],
    ["*.{yml,yaml}", "ci.yaml"],
  ])("%p %p", (pattern, name) => {
    expect(matches(pattern, name)).toBe(true);
  });
});

describe("does not match", () => {
  test.each([
    ["main", "Main"],
    ["main", "main2"],
    ["*", "a/b"],
    ["release/*", "release/1/0"],
    ["release/*", "release"],
    ["v?", "v/"],
    ["[!a]", "/"],
    ["[.-0]", "/"],
    ["[a-c]", "d"],
    ["{main,dev}", "maindev"],
    ["a/**/c", "a/c"],
    ["\\*", "a"],
    ["**x", "y"],
  ])("%p %p", (pattern, name) => {
    expect(matches(pattern, name)).toBe(false);
  });
});

test("what cannot be read is refused, and the message names the field", () => {
  for (const pattern of ["[a", "[]", "{a", "a}", "a]", "a\\", "[c-a]", "[a\\", `${"{".repeat(9)}a${"}".repeat(9)}`]) {
    expect(() => compileNamePattern(pattern, "rule_name")).toThrow(InvalidInput);
    expect(() => compileNamePattern(pattern, "rule_name")).toThrow("rule_name has a pattern that cannot be read");
  }
});

test("patterns made to take for ever do not", () => {
  const workedMs = measureWork();
  expect(matches(`${"*a".repeat(120)}b`, "a".repeat(2000))).toBe(false);
  expect(matches(`${"{a,a,a}".repeat(30)}b`, "a".repeat(30))).toBe(false);
  expect(matches(`${"{a,aa}".repeat(40)}b`, "a".repeat(60))).toBe(false);
  expect(matches(`${"**".repeat(100)}/x`, `${"a/".repeat(500)}y`)).toBe(false);
  expect(workedMs()).toBeLessThan(5000);
});

test("a plain name has none of the characters of patterns", () => {
  expect(["main", "a/b", "a-b", "a,b", "a*", "a?", "[a]", "{a}", "a\\"].map(isPlainName)).toEqual([
    true,
    true,
    true,
    true,
    false,
    false,
    false,
    false,
    false,
  ]);
});

test("patterns of files stand between semicolons, in either case, with or without a slash in front", () => {
  const files = compileFilePatterns(" /docs/**/*.TXT ; .ci.yml;; go.* ", "protected_file_patterns");
  expect(["docs/a/b.txt", "DOCS/a/B.txt", ".ci.yml", "go.mod", "docs/b.txt", "a/.ci.yml", ""].map(files)).toEqual([
    true,
    true,
    true,
    true,
    false,
    false,
    false,
  ]);
});
