import { describe, expect, test } from "bun:test";
import { linguistTables } from "../lib/languages/linguist-tables.ts";
import { highlight, highlightFile } from "./highlight-code.ts";
import { codeLanguages, findCodeLanguage } from "./languages.ts";

const forEver = 1e9;

async function read(path: string, text: string) {
  const found = await highlightFile(path, text, forEver);
  return {
    markup: found?.markup,
    symbols: found?.symbols.map(({ kind, name, line, depth }) => [kind, name, line, depth]),
  };
}

/** A text as it was before it had colours. */
const plain = (markup: string) =>
  markup
    .replace(/<[^>]*>/g, "")
    .replace(/&lt;/g, "<")
    .replace(/&gt;/g, ">")
    .replace(/&quot;/g, '"')
    .replace(/&#x27;/g, "'")
    .replace(/&amp;/g, "&");

describe("every language", () => {
  const text = [
    'if (a < 1) { return "b" + \'c\'; } // d\n# e ${f} `g` /* h */ -- i\n\n<j k="l">m</j>\r\n',
    "\tn := [1.5e3, 0xff] ; <<EOF\n$o @p %q ^r &s *t ~u |v\\w\nEOF\n''' \"\"\" ''\n  é😀\u0000\u202e\n",
  ].join("");

  test("is one of Linguist's, and changes nothing of a text", async () => {
    const { languages } = linguistTables();
    expect(codeLanguages().filter((name) => !languages.has(name))).toEqual([]);
    const changed: string[] = [];
    for (const name of codeLanguages()) {
      const language = await findCodeLanguage(name, undefined);
      const found = language === null ? null : highlight(language, text.repeat(3), forEver);
      if (found === null || plain(found.markup) !== text.repeat(3)) {
        changed.push(name);
      }
    }
    expect(changed).toEqual([]);
  });
});

test.each([
  [
    "a.nix",
    '{ x = "a${y}b"; }',
    "{ <i class=f>x</i> = <i class=s>&quot;a</i><i class=k>${</i>y}<i class=s>b&quot;</i>; }",
  ],
  [
    "a.zig",
    "pub fn main() !void {}",
    "<i class=k>pub</i> <i class=k>fn</i> <i class=f>main</i>() !<i class=t>void</i> {}",
  ],
  ["a.ex", "def run(a), do: :ok", "<i class=k>def</i> <i class=f>run</i>(a), <i class=n>do:</i> <i class=n>:ok</i>"],
  ["Makefile", "all: a.o\n\t@echo $(B) # c", "<i class=f>all</i>: a.o\n\t<i class=k>@echo</i> $(B) <i class=c># c</i>"],
  [
    "a.tf",
    'resource "a" "b" {\n  c = true\n}',
    "<i class=k>resource</i> <i class=s>&quot;a&quot;</i> <i class=s>&quot;b&quot;</i> {\n  <i class=f>c</i> = <i class=n>true</i>\n}",
  ],
  ["a.graphql", "type A { b: Int! }", "<i class=k>type</i> <i class=f>A</i> { <i class=f>b</i>: <i class=t>Int</i>! }"],
])("our own mode of %s", async (path, text, markup) => {
  expect((await read(path, text)).markup).toBe(markup);
});

test("scripts and styles in HTML are read as such", async () => {
  const { markup } = await read("a.html", "<p>a</p><script>let b = 1</script><style>p { color: red }</style><?php ?>");
  expect(markup).toContain("<i class=k>let</i> b");
  expect(markup).toContain("<i class=f>color</i>: ");
  expect((await read("a.php", "<p>a</p><?php function b() {} ?>")).markup).toContain("<i class=t>p</i>");
});

describe("what a file declares", () => {
  test.each([
    [
      "a.ts",
      "export class A { b() {} }\nconst c = () => { const d = () => 1 };\ninterface E {}\ntype F = 1;\nenum G {}\n",
      [
        ["class", "A", 1, 0],
        ["method", "b", 1, 1],
        ["function", "c", 2, 0],
        ["interface", "E", 3, 0],
        ["type", "F", 4, 0],
        ["enum", "G", 5, 0],
      ],
    ],
    [
      "a.py",
      "class A:\n  def b(self):\n    def c(): pass\n\ndef d(): pass\n",
      [
        ["class", "A", 1, 0],
        ["function", "b", 2, 1],
        ["function", "d", 5, 0],
      ],
    ],
    [
      "a.go",
      "package a\nfunc (b *B) C() {}\ntype (\n  D struct{}\n)\nfunc E() {}\n",
      [
        ["method", "C", 2, 0],
        ["type", "D", 4, 0],
        ["function", "E", 6, 0],
      ],
    ],
    [
      "a.rs",
      "mod a { fn b() {} }\nimpl C for D<E> { fn f() {} }\n",
      [
        ["module", "a", 1, 0],
        ["function", "b", 1, 1],
        ["class", "D<E>", 2, 0],
        ["function", "f", 2, 1],
      ],
    ],
    [
      "a.java",
      "class A { A() {} void b() {} }\n",
      [
        ["class", "A", 1, 0],
        ["method", "A", 1, 1],
        ["method", "b", 1, 1],
      ],
    ],
    [
      "a.cpp",
      "namespace a { class B { int c() {} }; }\nchar *B::d() {}\nstruct E f;\n",
      [
        ["module", "a", 1, 0],
        ["class", "B", 1, 1],
        ["function", "c", 1, 2],
        ["function", "B::d", 2, 0],
      ],
    ],
    [
      "a.php",
      "<?php\nclass A { function b() {} }\n",
      [
        ["class", "A", 2, 0],
        ["method", "b", 2, 1],
      ],
    ],
    [
      "a.cs",
      "namespace A {\n  public class B {\n    public static int C(int d) {\n",
      [
        ["module", "A", 1, 0],
        ["class", "B", 2, 1],
        ["method", "C", 3, 2],
      ],
    ],
    [
      "a.rb",
      "module A\n  class B\n    def c?\n    end\n  end\nend\ndef d\nend\n",
      [
        ["module", "A", 1, 0],
        ["class", "B", 2, 1],
        ["method", "c?", 3, 2],
        ["method", "d", 7, 0],
      ],
    ],
    [
      "a.sh",
      "a() {\n  b\n}\nfunction c {\n",
      [
        ["function", "a", 1, 0],
        ["function", "c", 4, 0],
      ],
    ],
    [
      "a.md",
      "# A `b`\n\nC\n---\n",
      [
        ["heading", "A `b`", 1, 0],
        ["heading", "C", 3, 0],
      ],
    ],
  ])("%s", async (path, text, symbols) => {
    expect((await read(path, text)).symbols).toEqual(symbols as never);
  });
});
