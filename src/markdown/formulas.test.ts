import { describe, expect, test } from "bun:test";
import { renderMarkdown } from "./render-markdown.ts";

const render = async (text: string, options: Partial<Parameters<typeof renderMarkdown>[1]> = {}) =>
  (await renderMarkdown(text, { hardBreaks: false, base: null, ...options })).html;

const square = "<math><msup><mi>x</mi><mn>2</mn></msup></math>";

describe("formulas", () => {
  test("stand in a line between dollars, also with backticks, and by themselves between two", async () => {
    expect(await render("so $x^2$, and")).toBe(`<p>so ${square}, and</p>\n`);
    expect(await render("so $`x^2`$.")).toBe(`<p>so ${square}.</p>\n`);
    expect(await render("# Of ($x^2$)\n")).toBe(`<h1 id="user-content-of-x2">Of (${square})</h1>\n`);
    const block = `<p><math display="block" tabindex="0"><msup><mi>x</mi><mn>2</mn></msup></math></p>\n`;
    for (const text of ["$$x^2$$", "$$\nx^2\n$$\n", "```math\nx^2\n```"]) {
      expect(await render(text)).toBe(block);
    }
    expect(await render("before\n$$\nx^2\n$$\nafter")).toBe(`<p>before</p>\n${block}<p>after</p>\n`);
    expect(await render("a_b $a_b$ c_d *$*$*")).toContain("<msub>");
  });

  test.each([
    "It costs $5 and $6",
    "from $5-$6",
    "$HOME and $PATH",
    "US$5$ and a$b$c",
    "an escaped \\$x\\$",
    "`$x$`",
    "    $x$",
    "$ x $",
    "$x\n\ny$",
    "$$",
    "$$$$",
  ])("are not made of other dollars: %s", async (text) => {
    expect(await render(text)).not.toContain("<math");
  });

  test("of matrices, cases and aligned lines keep their columns", async () => {
    const html = await render("$$\\begin{aligned}a&=b\\\\c&=d\\end{aligned}$$");
    expect(html).toContain('<mtd class="tml-right"><mi>a</mi></mtd>');
    expect(html).not.toMatch(/(?<!display)style=/);
  });

  test("are shown as their source where they are wrong, or too much", async () => {
    expect(await render("$\\nothing<b>{x}$")).toBe('<p><code class="language-math">\\nothing&lt;b&gt;{x}</code></p>\n');
    const many = await render("$x$ ".repeat(600));
    // On a busy machine the time for formulas ends before their number does.
    const drawn = many.split("<math>").length - 1;
    expect([drawn > 0, drawn <= 500]).toEqual([true, true]);
    expect(many).toContain('<code class="language-math">x</code>');
    expect(await render(`$${"x".repeat(1100)}$`)).not.toContain("<math");
    expect(await render(`\`\`\`math\n${"x".repeat(9000)}\n\`\`\``)).toContain("<pre><code");
  });

  test.each([
    "\\href{javascript:alert(1)}{x}",
    "\\url{javascript:alert(1)}",
    "\\includegraphics{http://evil.example/x.png}",
    "\\htmlClass{top}{x}",
    "\\class{top}{x}",
    "\\id{content}{x}",
    "\\style{position:fixed}{x}",
    "\\data{x=1}{x}",
    "\\text{<script>alert(1)</script>}",
    "\\text{<img src=x onerror=alert(1)>}",
    "\\text{</math><style>*{}</style>}",
    "\\unicode{x3c}script",
    "\\color{red}{x}\\colorbox{red}{x}\\fcolorbox{red}{blue}{x}",
    '\\color{red" onclick="alert(1)}{x}',
    "\\kern-100em x\\hspace{-100em}x\\raisebox{-100em}{x}\\rule{100em}{100em}",
    "\\Huge x \\scriptstyle x",
    "\\tag{1} x",
    "\\ref{x}\\label{y}\\eqref{z}",
  ])("cannot do more than be read: %s", async (formula) => {
    const html = await render(`\`\`\`math\n${formula}\n\`\`\`\n\n$${formula}$`);
    expect(html).not.toMatch(/<(?!\/?(?:math|m[a-z]+|p|pre|code)\b)[a-z/]/i);
    const attributes = [...html.matchAll(/<[a-z]+((?: [^<>]*)?)>/g)].map(([, all = ""]) => all).join(" ");
    expect(attributes).not.toMatch(
      /(?<!display)style=|href|src=|\son\w+=|\sid=|color|background|-\d|\d\dem|class="(?!tml-(?:left|right)"|language-math")/,
    );
  });

  test.each([
    "\\def\\a{\\a\\a}\\a",
    `\\def\\a#1{${"#1".repeat(1900)}}\\a{${"x".repeat(3500)}}`,
    `\\def\\a#1{${"#1".repeat(70)}}\\a{\\a{${"x".repeat(100)}}}`,
    "\\def\\a{xxxxxxxxxx}\\def\\b{\\a\\a\\a\\a\\a\\a\\a\\a\\a\\a}\\def\\c{\\b\\b\\b\\b\\b\\b\\b\\b\\b\\b}\\c\\c\\c\\c",
    "{".repeat(3000) + "}".repeat(3000),
    "\\frac".repeat(1500),
    "x^{".repeat(1000) + "x" + "}".repeat(1000),
    "\\sqrt{".repeat(900) + "x" + "}".repeat(900),
    "\\left(".repeat(1000) + "\\right)".repeat(1000),
    "\\begin{matrix}" + "&".repeat(7000) + "\\end{matrix}",
    "\\begin{array}{" + "c".repeat(7000) + "}x\\end{array}",
    "\\begin{array}{*{9999999}{c}}x\\end{array}",
    "\\text{" + "$".repeat(5000),
  ])("end soon, however they grow (%#)", async (formula) => {
    const started = performance.now();
    const html = await render(`\`\`\`math\n${formula}\n\`\`\``);
    expect(html.length).toBeLessThan(600_000);
    expect(performance.now() - started).toBeLessThan(30_000);
  });

  test("of people who write the marks or the markup themselves are text", async () => {
    expect(await render("$x$ \uFDD20\uFDD3")).toContain("\uFFFD0\uFFFD");
    expect(await render('<math><mtext><img src=x onerror="alert(1)"></mtext></math>')).toBe('<p><img src="x" /></p>\n');
    expect(await render('$x$ <a title="\uFDD20\uFDD3">a</a> ![*a $x$* $y$](b)')).toContain('alt="a x y"');
  });
});
