import { describe, expect, test } from "bun:test";
import { compilePattern } from "./compile-pattern.ts";
import { readDefinition, UnreadableEditorconfig } from "./read-definition.ts";

/** Whether a section of the root's file counts for a path. */
function fits(pattern: string, path: string): boolean {
  return "key" in readDefinition(path, [{ directory: "", text: `[${pattern}]\nkey = value\n` }]);
}

describe("patterns", () => {
  test.each<[pattern: string, fitting: string[], others: string[]]>([
    ["*.ts", ["a.ts", "src/deep/a.ts", ".ts"], ["a.tsx", "a.ts/b"]],
    ["/*.ts", ["a.ts"], ["src/a.ts"]],
    ["src/*.ts", ["src/a.ts"], ["a.ts", "src/deep/a.ts", "x/src/a.ts"]],
    ["src/**.ts", ["src/a.ts", "src/deep/a.ts"], ["a.ts"]],
    ["src/**/a.ts", ["src/a.ts", "src/x/a.ts", "src/x/y/a.ts"], ["src/xa.ts", "a.ts"]],
    ["**/a.ts", ["a.ts", "x/y/a.ts"], ["xa.ts"]],
    ["**", ["a", "b/c"], []],
    ["?.ts", ["a.ts", "é.ts", "😀.ts"], ["ab.ts", ".ts"]],
    ["src?a", [], ["src/a"]],
    ["[ab].c", ["a.c", "b.c"], ["c.c", "ab.c"]],
    ["[!ab].c", ["c.c"], ["a.c", "b.c", ".c"]],
    ["[a-c].c", ["b.c"], ["d.c", "-.c"]],
    ["[a-].c", ["-.c", "a.c"], ["b.c"]],
    ["[]a].c", ["].c", "a.c"], ["b.c"]],
    ["a[/]b", ["a[/]b"], ["a/b"]],
    ["[ab", ["[ab"], ["a"]],
    ["{a,b,}.c", ["a.c", "b.c", ".c"], ["c.c"]],
    ["{a{b,c},d}.e", ["ab.e", "ac.e", "d.e"], ["a.e", "bc.e"]],
    ["{only}.c", ["{only}.c"], ["only.c"]],
    ["{}.c", ["{}.c"], [".c"]],
    ["{a.c", ["{a.c"], ["a.c"]],
    ["a}.c", ["a}.c"], ["a.c"]],
    ["{a,b/c}", ["a", "b/c"], ["c"]],
    ["{3..12}.c", ["3.c", "12.c", "7.c", "+5.c"], ["2.c", "13.c", "05.c", ".c"]],
    ["{5..-2}", ["-2", "0", "5"], ["-3", "6"]],
    ["{1..12}3", ["113", "13"], ["133", "3"]],
    ["{a..c}", ["{a..c}"], ["b"]],
    ["\\*.c", ["*.c"], ["a.c"]],
    ["\\{a,b}", ["{a,b}"], ["a"]],
    ["a.b", ["a.b"], ["axb"]],
  ])("%s", (pattern, fitting, others) => {
    for (const path of fitting) {
      expect(`${path}: ${fits(pattern, path)}`).toBe(`${path}: true`);
    }
    for (const path of others) {
      expect(`${path}: ${fits(pattern, path)}`).toBe(`${path}: false`);
    }
  });

  test("of more than 4,096 characters fit nothing", () => {
    const path = `/${"a".repeat(4092)}`;
    expect(compilePattern("a".repeat(4092)).matches(path)).toBe(true);
    expect(compilePattern(`*${"a".repeat(4092)}`).matches(path)).toBe(false);
  });

  test("take a time in proportion to pattern and path, whatever they are made of", () => {
    for (const [pattern, path] of [
      ["*a".repeat(2000), `${"a".repeat(4000)}b`],
      [`${"**/".repeat(1000)}b`, `${"a/".repeat(2000)}a`],
      ["{a,aa}".repeat(600), `${"a".repeat(4000)}b`],
      [`${"{a,".repeat(1000)}b${"}".repeat(1000)}`, "c".repeat(4000)],
      ["{".repeat(4000), "c".repeat(4000)],
      ["{1..9999999}".repeat(300), "1".repeat(4000)],
    ] as const) {
      expect(compilePattern(pattern).matches(`/${path}`)).toBe(false);
    }
  });

  test.each([
    ["ranges of numbers", "{1..99999999999}".repeat(250)],
    ["long ranges of numbers", "{-123456789012345..987654321098765}".repeat(110)],
    ["sets of many characters", `[${"\u00ff".repeat(4090)}]`],
    ["many sets", "[a]".repeat(1360)],
  ])("of %s take little time, in as many sections as files have", (_, pattern) => {
    const files = Array.from({ length: 50 }, () => ({ directory: "", text: `[${pattern}]\n`.repeat(30) }));
    const began = performance.now();
    expect(() => readDefinition("a", files)).toThrow("its patterns take too long");
    // It was half a minute. The bound holds on a busy machine, too.
    expect(performance.now() - began).toBeLessThan(1500);
  });

  test("that would take too long are refused, whatever they match", () => {
    expect(() => fits("{a,b}".repeat(800), "a".repeat(4000))).toThrow(UnreadableEditorconfig);
    const many = `[${"*a".repeat(100)}]\n`.repeat(2000);
    expect(() => readDefinition("a".repeat(100), [{ directory: "", text: many }])).toThrow(
      "its patterns take too long",
    );
  });
});

test("lines that are no property, comment or section are skipped", () => {
  const text =
    "# a = 1\r\n; b = 2\rc\n= 3\n\n  [*.c]  \n d == 4 \ne = 5 # 6\n[*.h] # closes not\nf = 7\n[a[b]\ng = 8\n[*]\nh =";
  expect(readDefinition("x.c", [{ directory: "", text }])).toEqual({ d: "= 4", e: "5 # 6", h: "" });
});

test("names and known values are in lower case, other values as they are", () => {
  const text = "[*]\nIndent_Style = TAB\nTab_Width=8\nkey = Some Value\nother = 010\n__proto__ = x\n";
  expect(readDefinition("a", [{ directory: "", text: `\uFEFF${text}` }])).toEqual({
    indent_style: "tab",
    tab_width: "8",
    indent_size: "8",
    key: "Some Value",
    other: "010",
    ["__proto__"]: "x",
  });
});

test("the nearest file wins, up to the root, and unset takes away", () => {
  const files = [
    { directory: "a/b/", text: "[*.c]\nkey = near\ngone = unset\n[x/*.c]\ndeep = yes\n" },
    { directory: "a/", text: "Root = TRUE\nkey = preamble\n[*]\nkey = far\ngone = 1\nleft = 1\n[c.d]\nleft = 2\n" },
    { directory: "", text: "[*]\nroot = not read\n" },
  ];
  expect(readDefinition("a/b/x.c", files)).toEqual({ key: "near", left: "1" });
  expect(readDefinition("a/b/x/x.c", files)).toEqual({ key: "near", left: "1", deep: "yes" });
  expect(readDefinition("a/c.d", files.slice(1))).toEqual({ key: "far", gone: "1", left: "2" });
});
