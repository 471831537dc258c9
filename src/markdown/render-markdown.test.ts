import { describe, expect, test } from "bun:test";
import { putLinks, type Reference } from "./references.ts";
import { renderMarkdown } from "./render-markdown.ts";

const base = {
  pages: "http://forge.example/alice/site/src/branch/main/",
  files: "http://forge.example/alice/site/raw/branch/main/",
};
const render = async (text: string, options: Partial<Parameters<typeof renderMarkdown>[1]> = {}) =>
  (await renderMarkdown(text, { hardBreaks: false, base: null, ...options })).html;

describe("documents", () => {
  test("headings have names of their own", async () => {
    expect(await render("# Use it, *now*!\n\n## Use it now\n\n## `a_b` [c](d)")).toBe(
      '<h1 id="user-content-use-it-now">Use it, <em>now</em>!</h1>\n<h2 id="user-content-use-it-now-1">Use it now</h2>\n<h2 id="user-content-a_b-c"><code>a_b</code> <a href="d" rel="nofollow">c</a></h2>\n',
    );
  });

  test("links to headings lead to their names", async () => {
    expect(await render("[x](#use)")).toBe('<p><a href="#user-content-use" rel="nofollow">x</a></p>\n');
  });

  test("tables, code with its language, task lists and strikethrough", async () => {
    expect(await render("|a|b|\n|-|:-:|\n|1|2|")).toContain('<th align="center">b</th>');
    expect(await render("```none-such\nlet a = 1 < 2;\n```")).toBe(
      '<pre><code class="language-none-such">let a = 1 &lt; 2;\n</code></pre>\n',
    );
    expect(await render("- [x] done\n- [ ] open")).toBe(
      '<ul>\n<li><input type="checkbox" checked disabled aria-label="Done" /> done</li>\n<li><input type="checkbox" disabled aria-label="To do" /> open</li>\n</ul>\n',
    );
    expect(await render("~~no~~")).toBe("<p><del>no</del></p>\n");
  });

  test("line breaks count in comments", async () => {
    expect(await render("a\nb")).toBe("<p>a\nb</p>\n");
    expect(await render("a\nb", { hardBreaks: true })).toBe("<p>a<br />b</p>\n");
  });
});

describe("code", () => {
  test("has the words of its language in classes, and nothing else is changed", async () => {
    expect(await render("```ts\nlet a = 1 < 2; // <b>\n```")).toBe(
      '<pre><code class="language-ts"><i class="k">let</i> a = <i class="n">1</i> &lt; <i class="n">2</i>; <i class="c">// &lt;b&gt;</i>\n</code></pre>\n',
    );
    expect(await render("> - ```Python\n>   def a(): pass\n>   ```\n")).toContain(
      '<code class="language-Python"><i class="k">def</i> <i class="f">a</i>',
    );
  });

  test("is shown without colours where nobody names a language, and where there is too much", async () => {
    expect(await render("```\nlet a;\n```")).toBe("<pre><code>let a;\n</code></pre>\n");
    const piece = `\`\`\`ts\n${"let a = 1;\n".repeat(5200)}\`\`\`\n`;
    const html = await render(piece.repeat(6));
    const pieces = html.split("</pre>").slice(0, -1);
    expect(pieces).toHaveLength(6);
    const coloured = pieces.map((one) => one.includes("<i "));
    expect(coloured[0]).toBe(true);
    expect(coloured.slice(4)).toEqual([false, false]);
    expect(await render(`\`\`\`ts\n${"let a = 1;\n".repeat(6000)}\`\`\`\n`)).not.toContain("<i ");
  });

  test("cannot bring classes of others into the page", async () => {
    expect(await render('<i class="k form header">a</i> <span class="login">b</span>')).toBe(
      '<p><i class="k">a</i> <span>b</span></p>\n',
    );
    expect(await render('<h2 class="sr-only login">b</h2>')).toBe('<h2 class="sr-only">b</h2>');
  });
});

test("footnotes stand at the end, with links there and back", async () => {
  const html = await render("A[^1] b[^long note] c[^1].\n\n[^1]: First *note*\n[^long note]: Second\n");
  expect(html).toContain(
    '<sup><a id="user-content-footnote-ref-1" href="#user-content-footnote-1" aria-describedby="user-content-footnote-label" rel="nofollow">1</a></sup>',
  );
  expect(html).toContain(
    '<section class="footnotes">\n<h2 id="user-content-footnote-label" class="sr-only">Footnotes</h2>',
  );
  expect(html).toContain(
    '<li id="user-content-footnote-1">\n<p>First <em>note</em> <a href="#user-content-footnote-ref-1"',
  );
  expect(html.indexOf("First")).toBeLessThan(html.indexOf("Second"));
});

describe("references", () => {
  const nameOf = (one: Reference) => {
    switch (one.kind) {
      case "user":
        return `@${one.name}`;
      case "commit":
        return one.digits;
      case "number":
        return `${one.sign}${one.number}`;
      case "issue":
        return `${one.owner}/${one.repository}${one.sign}${one.number}`;
      case "address":
        return one.address;
    }
  };
  const find = async (text: string) => {
    const { html, references } = await renderMarkdown(text, {
      hardBreaks: false,
      base: null,
      references: { kinds: ["user", "commit", "issue", "number", "address"], server: "https://forge.example" },
    });
    return {
      names: references.map(nameOf),
      linked: putLinks(
        html,
        references,
        references.map((one) => ({ address: `http://x/${one.kind}?a&b` })),
      ),
      plain: putLinks(html, references, []),
    };
  };

  test("are names and commits in running text, whatever it stands in", async () => {
    const text =
      "# To @alice\n\n@bob, (@carol-d) and **@eve.f**. See 0123abc or `@no`\n\n- [x] @alice\n\n|@bob|\n|-|\n|deadbeef0123|\n\nN[^1]\n\n[^1]: of @zoe\n";
    const { names, linked, plain } = await find(text);
    expect(names.toSorted()).toEqual(["0123abc", "@alice", "@bob", "@carol-d", "@eve.f", "@zoe", "deadbeef0123"]);
    expect(linked).toContain(
      '<h1 id="user-content-to-alice">To <a href="http://x/user?a&amp;b" class="mention" rel="nofollow">@alice</a></h1>',
    );
    expect(linked).toContain(
      '<a href="http://x/commit?a&amp;b" class="commit" rel="nofollow"><code>deadbeef01</code></a>',
    );
    expect(linked).toContain("<code>@no</code>");
    expect(plain).toBe(await render(text));
  });

  test.each([
    ["an address", "a@bob.example x@bob a.@bob"],
    [
      "a number that counts something else",
      "#0 #01 #1a a#1 1#2 &#35; &#49; ##1 #1/2 #1234567890 x/y#z /y#1 a/b/c#1 #-1 !x",
    ],
    [
      "an address of another server, or of another page",
      "https://forge.example.org/a/b/issues/1 https://forge.example/a/b/wiki/1 https://forge.example/a/b/issues/1?x=2 https://forge.example/a/b/issues/0",
    ],
    ["an address with words of its own", "[see](https://forge.example/a/b/issues/1)"],
    ["a path", "/@bob x/@bob @bob/team a/0123abcd 0123abcd/b"],
    ["code", "`@bob` ``` @bob ```\n\n    @bob 0123abcd\n\n```\n@bob\n```"],
    ["a link", "[@bob](https://a.example) <https://a.example/@bob> [0123abcd](b) https://a.example/0123abcd"],
    ["a picture's text", "![@bob](a.png) ![x](a.png '@bob')"],
    ["markup", '<span title="@bob">x</span>'],
    ["escaped", "\\@bob"],
    ["too short or too long", `012abc ${"0".repeat(65)} @${"a".repeat(41)}`],
    ["a name that nobody can have", "@-bob @_x @@bob"],
    ["a file's name or a number in another", "0123abcd.txt x0123abcd 0123abcdg 1.0123456"],
  ])("are none in %s", async (_, text) => {
    expect((await find(text)).names).toEqual([]);
  });

  test("are numbers of issues and pull requests, and addresses of them", async () => {
    const text =
      "#1, !2: (smith/anvil#3) _an-vil/x.y!4_ https://forge.example/a/b/issues/5#issuecomment-6 <https://forge.example/a/b/commit/0123abcd>\n\n# On #1";
    const { names, linked, plain } = await find(text);
    expect(names).toEqual([
      "#1",
      "!2",
      "smith/anvil#3",
      "an-vil/x.y!4",
      "https://forge.example/a/b/issues/5#issuecomment-6",
      "https://forge.example/a/b/commit/0123abcd",
    ]);
    expect(linked).toContain('<a href="http://x/issue?a&amp;b" class="ref-issue" rel="nofollow">smith/anvil#3</a>');
    expect(linked).toContain(
      '<a href="http://x/address?a&amp;b" class="ref-issue" rel="nofollow">https://forge.example/',
    );
    expect(linked).toContain('<h1 id="user-content-on-1">On <a href="http://x/number');
    expect(plain).toBe(await render(text));
  });

  test("cannot be put where markup is not for them", async () => {
    const { linked } = await find(
      '@bob \uFDD00\uFDD1 <img alt="&#xFDD0;0&#xFDD1;" src="a.png"> <a title="&#xFDD0;0&#xFDD1;">x</a> &#xFDD0;7&#xFDD1;',
    );
    expect(linked).toContain('<img alt="\uFFFD0\uFFFD" src="a.png" />');
    expect(linked).toContain('<a title="\uFFFD0\uFFFD">x');
    expect(linked).toContain("\uFFFD0\uFFFD");
    expect(linked).not.toMatch(/[\uFDD0\uFDD1]/);
  });

  test("are looked up and linked up to a limit", async () => {
    const many = Array.from({ length: 150 }, (_, index) => `@user${index}`).join(" ");
    expect((await find(many)).names).toHaveLength(100);
    const hexadecimal = Array.from({ length: 80 }, (_, index) => `a${String(index).padStart(7, "0")}`).join(" ");
    expect((await find(hexadecimal)).names).toHaveLength(50);
    expect((await find("@a ".repeat(5000))).linked.match(/<a /g)).toHaveLength(2000);
    expect((await find(`@a ${"&#xFDD0;0&#xFDD1; ".repeat(5000)}`)).linked.match(/<a /g)).toHaveLength(2000);
  });
});

describe("addresses", () => {
  test("relative ones are relative to the base, pages and files each to theirs", async () => {
    expect(await render("[x](docs/a.md)", { base })).toContain(
      'href="http://forge.example/alice/site/src/branch/main/docs/a.md"',
    );
    expect(await render("[x](/top.md)", { base })).toContain(
      'href="http://forge.example/alice/site/src/branch/main/top.md"',
    );
    expect(await render("![x](a.png)", { base })).toContain(
      'src="http://forge.example/alice/site/raw/branch/main/a.png"',
    );
  });

  test("a leading slash leads to the top, where that is known", async () => {
    const inside = { pages: `${base.pages}docs/`, files: `${base.files}docs/`, top: base };
    expect(await render("[x](/top.md) [y](a.md) ![z](/a.png)", { base: inside })).toBe(
      `<p><a href="${base.pages}top.md" rel="nofollow">x</a> <a href="${base.pages}docs/a.md" rel="nofollow">y</a> <img src="${base.files}a.png" alt="z" /></p>\n`,
    );
  });

  test("absolute ones and fragments stay", async () => {
    expect(await render("[x](https://a.example/b) [y](mailto:a@b.example)", { base })).toBe(
      '<p><a href="https://a.example/b" rel="nofollow">x</a> <a href="mailto:a@b.example" rel="nofollow">y</a></p>\n',
    );
    expect(await render("[x](#a)", { base })).toContain('href="#user-content-a"');
  });
});

describe("links to pages in brackets", () => {
  const page = (text: string) => render(text, { pageLinks: true });
  const link = (href: string, words: string) => `<a href="${href}" rel="nofollow">${words}</a>`;

  test.each([
    ["a[[Home Page]]b", `a${link("Home%20Page", "Home Page")}b`],
    ["[[some *words*|100% <b>]]", link("100%25%20%3Cb%3E", "some *words*")],
    ["[[x|a/b#The Section!]]", link("a/b#the-section", "x")],
    ["[[#Here]]", link("#user-content-here", "#Here")],
    ["[[x|https://example.org/?a=b]]", link("https://example.org/?a=b", "x")],
    ["[[x|javascript:alert(1)]]", link("javascript%3Aalert(1)", "x")],
    ["[[images/a.png]]", '<img src="images/a.png" alt="images/a.png" />'],
    ["[[a]] and [b](c)", `${link("a", "a")} and ${link("c", "b")}`],
    ["[[]] [[a\nb]] [[a|b|c]]", "[[]] [[a\nb]] [[a|b|c]]"],
    ["`[[code]]`", "<code>[[code]]</code>"],
  ])("%j", async (text, html) => {
    expect(await page(text)).toBe(`<p>${html}</p>\n`);
  });

  test("are text elsewhere, and a long text of brackets takes no long time", async () => {
    expect(await render("[[Home]]")).toBe("<p>[[Home]]</p>\n");
    const before = performance.now();
    await page(`${"*a* ".repeat(20_000)}\n\n${"[[".repeat(20_000)}`);
    expect(performance.now() - before).toBeLessThan(5000);
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

  test.each(attacks)("%s", async (_, text) => {
    for (const html of [await render(text), await render(text, { base })]) {
      const markup = [...html.matchAll(/<\/?([a-z0-9]+)((?:[^>"']|"[^"]*"|'[^']*')*)>/gi)];
      for (const [, tag = "", attributes = ""] of markup) {
        expect(tag).not.toMatch(/^(script|style|svg|math|iframe|form|object|embed|meta|base|noscript|link)$/i);
        expect(attributes.replace(/"[^"]*"/g, '""')).not.toMatch(/\bon\w+\s*=|\bstyle\s*=|\bname\s*=/i);
        expect(attributes.replace(/\s/g, "")).not.toMatch(/(javascript|vbscript|data):/i);
      }
    }
  });

  test("ids cannot take the names of the page's own", async () => {
    expect(await render('<h1 id="login">x</h1><a id="form" href="https://a.example">y</a>')).toBe(
      '<h1 id="user-content-login">x</h1><a id="user-content-form" href="https://a.example" rel="nofollow">y</a>',
    );
  });
});
