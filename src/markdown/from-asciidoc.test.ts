import { expect, test } from "bun:test";
import { fromAsciidoc } from "./from-asciidoc.ts";
import { HtmlTooLarge, renderMarkdown } from "./render-markdown.ts";

const render = async (text: string) =>
  (await renderMarkdown(text, { hardBreaks: false, base: null, format: "asciidoc" })).html;

test("AsciiDoc reads as Markdown does, with the colours of its code", async () => {
  const text =
    "= Title\n:site: https://example.com\n\nIt is *bold*, see {site}/a[there].\n\n== Use\n\n[source,ruby]\n----\ndef a; end\n----\n\n* one\n** two\n\n|===\n|a |b\n\n|c |d\n|===\n";
  const html = await render(text);
  expect(html).toContain('<h1 id="user-content-title">Title</h1>');
  expect(html).toContain('<strong>bold</strong>, see <a href="https://example.com/a" rel="nofollow">there</a>');
  expect(html).toContain('<h2 id="user-content-use">Use</h2>');
  expect(html).toContain('<code class="language-ruby"><i class="k">def</i>');
  expect(html).toContain("<li>one<ul>\n<li>two</li>");
  expect(html).toContain("<th>a</th>");
});

test("nothing that runs, and nothing of other files comes into the page", async () => {
  const html = await render(
    "= A\ninclude::/etc/passwd[]\n\n++++\n<script>b()</script>\n++++\n\nlink:javascript:c()[d] pass:[<img src=x onerror=e()>]\n",
  );
  expect(html).not.toMatch(/<script|javascript:|<img|root:/);
});

test("attributes that would make the text large are left out, and a text that is too large is refused", async () => {
  const doubled = [":a0: xxxxxxxxxx", ...Array.from({ length: 40 }, (_, n) => `:a${n + 1}: {a${n}}{a${n}}`)].join("\n");
  expect(fromAsciidoc(`${doubled}\n\n{a40}\n`)?.length).toBeLessThan(1000);
  const chained = Array.from({ length: 40 }, (_, n) => `:a${n + 1}: ${"x".repeat(100)}{a${n}}`).join("\n");
  expect(fromAsciidoc(`${chained}\n\n{a40}\n`)?.length).toBeLessThan(5000);
  expect(fromAsciidoc("{a}".repeat(6000))).toBeNull();
  expect(fromAsciidoc("a".repeat(5000))).toBeNull();
  expect(render("a\n".repeat(200_000))).rejects.toThrow(HtmlTooLarge);
});
