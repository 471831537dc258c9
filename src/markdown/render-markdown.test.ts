import { describe, expect, test } from "bun:test";
import { renderMarkdown } from "./render-markdown.ts";

const base = {
  pages: "http://forge.example/alice/site/src/branch/main/",
  files: "http://forge.example/alice/site/raw/branch/main/",
};
const render = (text: string, options: Partial<Parameters<typeof renderMarkdown>[1]> = {}) =>
  renderMarkdown(text, { hardBreaks: false, base: null, ...options });

describe("documents", () => {
  test("headings have names of their own", () => {
    expect(render("# Use it, *now*!\n\n## Use it now\n\n## `a_b` [c](d)")).toBe(
      '<h1 id="user-content-use-it-now">Use it, <em>now</em>!</h1>\n<h2 id="user-content-use-it-now-1">Use it now</h2>\n<h2 id="user-content-a_b-c"><code>a_b</code> <a href="d" rel="nofollow">c</a></h2>\n',
    );
  });

  test("links to headings lead to their names", () => {
    expect(render("[x](#use)")).toBe('<p><a href="#user-content-use" rel="nofollow">x</a></p>\n');
  });

  test("tables, code with its language, task lists and strikethrough", () => {
    expect(render("|a|b|\n|-|:-:|\n|1|2|")).toContain('<th align="center">b</th>');
    expect(render("```ts\nlet a = 1 < 2;\n```")).toBe(
      '<pre><code class="language-ts">let a = 1 &lt; 2;\n</code></pre>\n',
    );
    expect(render("- [x] done\n- [ ] open")).toBe(
      '<ul>\n<li><input type="checkbox" checked disabled /> done</li>\n<li><input type="checkbox" disabled /> open</li>\n</ul>\n',
    );
    expect(render("~~no~~")).toBe("<p><del>no</del></p>\n");
  });

  test("line breaks count in comments", () => {
    expect(render("a\nb")).toBe("<p>a\nb</p>\n");
    expect(render("a\nb", { hardBreaks: true })).toBe("<p>a<br />b</p>\n");
  });
});

describe("addresses", () => {
  test("relative ones are relative to the base, pages and files each to theirs", () => {
    expect(render("[x](docs/a.md)", { base })).toContain(
      'href="http://forge.example/alice/site/src/branch/main/docs/a.md"',
    );
    expect(render("[x](/top.md)", { base })).toContain('href="http://forge.example/alice/site/src/branch/main/top.md"');
    expect(render("![x](a.png)", { base })).toContain('src="http://forge.example/alice/site/raw/branch/main/a.png"');
  });

  test("absolute ones and fragments stay", () => {
    expect(render("[x](https://a.example/b) [y](mailto:a@b.example)", { base })).toBe(
      '<p><a href="https://a.example/b" rel="nofollow">x</a> <a href="mailto:a@b.example" rel="nofollow">y</a></p>\n',
    );
    expect(render("[x](#a)", { base })).toContain('href="#user-content-a"');
  });
});

describe("what could harm a reader is left out", () => {
  const attacks: [string, string][] = [
    ["a script", "<script>alert(1)</script>"],
    ["a script in capitals", "<SCRIPT SRC=//evil.example/x.js></SCRIPT>"],
    ["a javascript link", "[x](javascript:alert(1))"],
    ["a javascript link with a tab in it", '<a href="java\tscript:alert(1)">x</a>'],
    ["a javascript link with entities", '<a href="&#106;avascript:alert(1)">x</a>'],
    ["a data link", "[x](data:text/html;base64,PHNjcmlwdD4=)"],
    ["a data image", "![x](data:image/svg+xml;base64,PHN2Zz4=)"],
    ["a vbscript link", "[x](VBScript:msgbox)"],
    ["an event attribute", '<img src="a.png" onerror="alert(1)">'],
    ["an event attribute after a slash", "<img/src=x/onerror=alert(1)>"],
    ["a style element", "<style>body{display:none}</style>"],
    ["a style attribute", '<p style="position:fixed">x</p>'],
    ["SVG", "<svg onload=alert(1)><script>alert(1)</script></svg>"],
    ["MathML", '<math><mtext><img src=x onerror="alert(1)"></mtext></math>'],
    ["a frame", '<iframe srcdoc="<script>alert(1)</script>"></iframe>'],
    ["a form", '<form action="https://evil.example"><input name="password"></form>'],
    ["nesting that a parser repairs", '<noscript><p title="</noscript><img src=x onerror=alert(1)>">'],
    ["an unfinished tag", "<img src=x onerror=alert(1)//"],
    ["an attribute that breaks out in a title", '![a](b "\\" onerror=\\"alert(1)")'],
    ["a meta refresh", '<meta http-equiv="refresh" content="0;url=javascript:alert(1)">'],
    ["a base element", '<base href="https://evil.example/">'],
    ["an object", '<object data="javascript:alert(1)"></object><embed src="javascript:alert(1)">'],
  ];

  test.each(attacks)("%s", (_, text) => {
    for (const html of [render(text), render(text, { base })]) {
      const markup = [...html.matchAll(/<\/?([a-z0-9]+)((?:[^>"']|"[^"]*"|'[^']*')*)>/gi)];
      for (const [, tag = "", attributes = ""] of markup) {
        expect(tag).not.toMatch(/^(script|style|svg|math|iframe|form|object|embed|meta|base|noscript|link)$/i);
        expect(attributes.replace(/"[^"]*"/g, '""')).not.toMatch(/\bon\w+\s*=|\bstyle\s*=|\bname\s*=/i);
        expect(attributes.replace(/\s/g, "")).not.toMatch(/(javascript|vbscript|data):/i);
      }
    }
  });

  test("ids cannot take the names of the page's own", () => {
    expect(render('<h1 id="login">x</h1><a id="form" href="https://a.example">y</a>')).toBe(
      '<h1 id="user-content-login">x</h1><a id="user-content-form" href="https://a.example" rel="nofollow">y</a>',
    );
  });
});
