import { Marked, type Token, type Tokens } from "marked";
import { sanitizeMarkup, type LinkBase } from "./sanitize-markup.ts";

export interface MarkdownOptions {
  /** A line break in a paragraph is one in the output, as people write comments. */
  hardBreaks: boolean;
  /** What relative addresses are relative to; null leaves them as they are. */
  base: LinkBase | null;
}

/** Ids of the document are kept apart from those of the page it is put into. */
const idPrefix = "user-content-";

/** The name of a heading in addresses: its words in lower case with hyphens between them. */
function slugOf(text: string): string {
  return text.toLowerCase().trim().replace(/[^\p{L}\p{N}\p{M}_ -]/gu, "").replaceAll(" ", "-");
}

/** The words of inline tokens without their markup. Code, links and images count with their text. */
function wordsOf(tokens: readonly Token[]): string {
  return tokens.map((token) => ("tokens" in token && token.tokens !== undefined ? wordsOf(token.tokens) : token.type === "html" ? "" : "text" in token ? String(token["text"]) : "")).join("");
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

/**
 * Renders GitHub-flavoured Markdown to HTML that is safe to put into a page, whatever the text is.
 * Deep nesting can throw RangeError, and the time is not bounded: see MarkdownRenderer.
 */
export function renderMarkdown(text: string, options: MarkdownOptions): string {
  const names = new HeadingNames();
  const parser = new Marked({
    gfm: true,
    breaks: options.hardBreaks,
    renderer: {
      heading({ tokens, depth }: Tokens.Heading): string {
        return `<h${depth} id="${idPrefix}${names.next(wordsOf(tokens)).replaceAll('"', "")}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
    },
  });
  return sanitizeMarkup(parser.parse(text, { async: false }), { base: options.base, idPrefix });
}
