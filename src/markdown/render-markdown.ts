import { Marked, type Token, type TokenizerExtension, type Tokens } from "marked";
import footnotes from "marked-footnote";
import type { CodeBlocks } from "./code-blocks.ts";
import type { Formulas } from "./formulas.ts";
import { ReferenceMarks, withoutMarks, type Reference, type WantedReferences } from "./references.ts";
import { sanitizeMarkup, type LinkBase } from "./sanitize-markup.ts";

export interface MarkdownOptions {
  /** A line break in a paragraph is one in the output, as people write comments. */
  hardBreaks: boolean;
  /** The base of relative addresses; null leaves them unchanged. */
  base: LinkBase | null;
  /** "asciidoc": the text is AsciiDoc, and becomes Markdown first. */
  format?: "asciidoc";
  /** `[[Page]]` and `[[words|Page#Section]]` are links to pages beside this one, as in wikis. */
  pageLinks?: true;
  /** "links": a picture is a link to it, so that nothing is loaded. */
  pictures?: "links";
  /** The references to look for in the text; none if absent. */
  references?: WantedReferences;
}

/** HTML with a mark in place of each reference: see putLinks. */
export interface RenderedMarkdown {
  html: string;
  references: Reference[];
}

/** A line that begins a piece of code in a language that it names. */
const codeInLanguage = /^[ >\t]*(?:[-*+] +|\d+[.)] +)*(?:```|~~~)[`~]* *[\w+#.-]/m;

/** A document without these has no formula. */
const mayHaveFormulas = /\$[^$\n]*\$|[`~] *math\b/;

/** Ids of the document are kept apart from those of the page it is put into. */
const idPrefix = "user-content-";

/** The name of a heading in addresses: its words in lower case with hyphens between them. */
function slugOf(text: string): string {
  return text
    .toLowerCase()
    .trim()
    .replace(/[^\p{L}\p{N}\p{M}_ -]/gu, "")
    .replaceAll(" ", "-");
}

/** The words of inline tokens without their markup. Code, links and images count with their text. */
function wordsOf(tokens: readonly Token[]): string {
  return tokens
    .map((token) =>
      "tokens" in token && token.tokens !== undefined
        ? wordsOf(token.tokens)
        : token.type === "html"
          ? ""
          : "text" in token
            ? String(token["text"])
            : "",
    )
    .join("");
}

/** Has formulas of an attribute's words shown as they are written: no markup can be there. */
function showSource(tokens: readonly Token[]): void {
  for (const token of tokens) {
    if (token.type === "formula") {
      token.type = "escape";
    } else if ("tokens" in token && token.tokens !== undefined) {
      showSource(token.tokens);
    }
  }
}

/** Each heading of a document gets a name of its own: the second `Use` is `use-1`. */
class HeadingNames {
  private readonly counts = new Map<string, number>();

  next(text: string): string {
    const slug = slugOf(text);
    const count = this.counts.get(slug) ?? 0;
    this.counts.set(slug, count + 1);
    return count === 0 ? slug : `${slug}-${count}`;
  }
}

/** The HTML would be larger than anybody reads. */
export class HtmlTooLarge extends Error {}

/** The most characters that addresses, titles and empty cells may add to the text of a document. */
const maxAdded = 4 * 1024 * 1024;
/** How many characters a cell of a table takes as HTML and, for a while, as objects. */
const charactersPerCell = 40;

/**
 * Counts the characters that HTML has beyond its text. An address that is defined once is repeated in every link to it,
 * and the rows of a table are filled up to the width of its head: 64 KB of text can ask for gigabytes.
 */
class Additions {
  private added = 0;

  /** Throws HtmlTooLarge. */
  add(characters: number): void {
    this.added += characters;
    if (this.added > maxAdded) {
      throw new HtmlTooLarge();
    }
  }

  addLink({ href, title }: Tokens.Link | Tokens.Image): void {
    this.add(href.length + (title?.length ?? 0));
  }

  /** For the table that the text may begin with: as many cells a line as its first line has. */
  addTable(text: string): void {
    const end = text.search(/\n[ \t]*\n/);
    const lines = (end < 0 ? text : text.slice(0, end)).split("\n");
    const columns = lines[0]?.split("|").length ?? 0;
    if (columns > 2 && lines[1]?.includes("-") === true) {
      this.add(columns * lines.length * charactersPerCell);
    }
  }
}

/**
 * Renders GitHub-flavoured Markdown to HTML that is safe to put into a page, whatever the text is.
 * Throws HtmlTooLarge; deep nesting can throw RangeError, and the time is not bounded: see MarkdownRenderer.
 */
export async function renderMarkdown(text: string, options: MarkdownOptions): Promise<RenderedMarkdown> {
  const { base, pictures } = options;
  const markdown = options.format === "asciidoc" ? await readAsciidoc(text) : text;
  const names = new HeadingNames();
  const additions = new Additions();
  const references = new ReferenceMarks(options.references ?? { kinds: [] });
  const blocks = codeInLanguage.test(markdown) ? await loadCodeBlocks() : null;
  const formulas = options.format !== "asciidoc" && mayHaveFormulas.test(markdown) ? await loadFormulas() : null;
  const coloured = new WeakMap<Token, string>();
  const parser = new Marked({
    gfm: true,
    breaks: options.hardBreaks,
    // False: go on as without this function.
    tokenizer: {
      table(text: string) {
        additions.addTable(text);
        return false;
      },
    },
    async walkTokens(token) {
      const markup = token.type === "code" ? await blocks?.highlight(`${token.text}\n`, languageOf(token.lang)) : null;
      if (typeof markup === "string") {
        coloured.set(token, markup);
      }
    },
    hooks: {
      processAllTokens(tokens) {
        references.mark(tokens);
        return tokens;
      },
    },
    renderer: {
      code(token: Tokens.Code) {
        if (formulas !== null && languageOf(token.lang) === "math") {
          return formulas.mark(token.text, true);
        }
        const markup = coloured.get(token);
        return markup === undefined
          ? false
          : `<pre><code class="language-${escapeLanguage(languageOf(token.lang))}">${markup}</code></pre>\n`;
      },
      link(token: Tokens.Link) {
        additions.addLink(token);
        return false;
      },
      image(token: Tokens.Image) {
        additions.addLink(token);
        showSource(token.tokens);
        return false;
      },
      heading({ tokens, depth }: Tokens.Heading): string {
        return `<h${depth} id="${idPrefix}${names.next(references.restore(wordsOf(tokens))).replaceAll('"', "")}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
    },
  });
  parser.use(footnotes({ description: "Footnotes" }));
  if (options.pageLinks === true) {
    parser.use({ extensions: [pageLinks] });
  }
  if (formulas !== null) {
    parser.use(formulas.extension);
  }
  const html = await parser.parse(withoutMarks(markdown), { async: true });
  const sanitized = sanitizeMarkup(html, { base, pictures, idPrefix });
  return { html: formulas?.restore(sanitized) ?? sanitized, references: references.found };
}

const pageLink = /^\[\[([^[\]|\n]{1,500})(?:\|([^[\]|\n]{1,500}))?\]\]/;
const pictureName = /\.(?:png|jpe?g|gif|webp|avif|svg)$/i;

/** The address of a page by its title, and of a section in it by its heading. */
function pageAddress(name: string): string {
  if (/^https?:\/\//i.test(name)) {
    return name;
  }
  const [title = "", section] = name.split(/#(.*)/s);
  const path = title.trim().split("/").map(encodeURIComponent).join("/");
  return section === undefined ? path : `${path}#${encodeURIComponent(slugOf(section))}`;
}

const pageLinks: TokenizerExtension = {
  name: "pageLink",
  // Without "start": the library's own text ends before each bracket, and to look for the next one takes long in a long text.
  level: "inline",
  tokenizer(text) {
    const [raw, first, second] = pageLink.exec(text) ?? [];
    if (raw === undefined || first === undefined) {
      return undefined;
    }
    const [words, name] = [first.trim(), (second ?? first).trim()];
    const href = pageAddress(name);
    const inner = { type: "text", raw: words, text: words };
    return pictureName.test(name)
      ? { type: "image", raw, href, title: null, text: second === undefined ? "" : words, tokens: [inner] }
      : { type: "link", raw, href, title: null, text: words, tokens: [inner] };
  },
};

async function readAsciidoc(text: string): Promise<string> {
  const { fromAsciidoc } = await import("./from-asciidoc.ts");
  const markdown = fromAsciidoc(text);
  if (markdown === null) {
    throw new HtmlTooLarge();
  }
  return markdown;
}

/** Only a text with code waits for the tables of languages. */
async function loadCodeBlocks(): Promise<CodeBlocks> {
  const { CodeBlocks } = await import("./code-blocks.ts");
  return new CodeBlocks();
}

/** Only a text with formulas waits for the reader of TeX. */
async function loadFormulas(): Promise<Formulas> {
  const { Formulas } = await import("./formulas.ts");
  return new Formulas();
}

/** The first word behind the fence. */
function languageOf(lang: unknown): string {
  return typeof lang === "string" ? (/^\S*/.exec(lang)?.[0] ?? "") : "";
}

function escapeLanguage(name: string): string {
  return name.replace(/[^\w+#.-]/g, "");
}
