import type { MarkedExtension, Token } from "marked";
import sanitizeHtml from "sanitize-html";
import temml from "temml";
import { escapeText } from "./references.ts";

/*
 * Formulas in TeX, as the family writes them: `$…$` and `` $`…`$ `` in a line, `$$…$$` and blocks of code in the language `math` by themselves.
 * They become MathML, which browsers draw without style, fonts or script. The MathML goes through a list of its own, and comes into the document
 * after that was sanitized: people's own markup has no MathML.
 */

const longestInLine = 1000;
const longestBlock = 8000;
/** What is beyond these in one document is shown as its source. */
const mostFormulas = 500;
const mostCharacters = 512 * 1024;
const longestTimeMs = 300;

/** A macro copies its arguments, so a formula that defines one is short and expands little: copies of copies would take seconds. */
const longestWithMacros = 200;
const mostExpandedWithMacros = 30;
const definition = /\\(?:[gex]?def|(?:re)?newcommand|providecommand|let|futurelet)\b/;

/** Macros that a formula defines grow no larger, and lengths no longer: em. */
const bounds = { maxExpand: 100, maxSize: [5, 5] as [number, number] };

const opening = "\uFDD2";
const closing = "\uFDD3";
const markedFormula = /\uFDD2(\d{1,6})\uFDD3/g;

/** Of text-level size, so that nothing reaches out of its line. */
const length = /^\d(?:\.\d+)?(?:em|ex)$/;
const yes = /^(?:true|false)$/;
const allowed: Readonly<Record<string, Readonly<Record<string, RegExp>>>> = {
  math: { display: /^block$/ },
  mfrac: { linethickness: /^0(?:px|em)?$/, displaystyle: yes },
  mi: { mathvariant: /^normal$/ },
  mn: {},
  mo: {
    fence: yes,
    form: /^(?:prefix|infix|postfix)$/,
    largeop: yes,
    lspace: length,
    maxsize: length,
    minsize: length,
    movablelimits: yes,
    rspace: length,
    separator: yes,
    stretchy: yes,
    symmetric: yes,
  },
  mover: { accent: yes },
  mphantom: {},
  mpadded: {},
  mroot: {},
  mrow: { displaystyle: yes, scriptlevel: /^[0-2]$/ },
  ms: {},
  mspace: { width: length },
  msqrt: {},
  mstyle: { displaystyle: yes, scriptlevel: /^[0-2]$/ },
  msub: {},
  msubsup: {},
  msup: {},
  mtable: { displaystyle: yes },
  mtd: { columnspan: /^\d$/, class: /^tml-(?:left|right)$/ },
  mtext: {},
  mtr: {},
  munder: { accentunder: yes },
  munderover: {},
};

function sanitize(markup: string): string {
  return sanitizeHtml(markup, {
    allowedTags: Object.keys(allowed),
    allowedAttributes: Object.fromEntries(Object.entries(allowed).map(([tag, names]) => [tag, Object.keys(names)])),
    transformTags: {
      "*": (tagName, attributes) => ({
        tagName,
        attribs: Object.fromEntries(
          Object.entries(attributes).filter(([name, value]) => allowed[tagName]?.[name]?.test(value) === true),
        ),
      }),
    },
  });
}

/** A formula in a text: `raw` is all that it takes there, `text` what is TeX. */
interface FoundFormula {
  readonly raw: string;
  readonly text: string;
  readonly display: boolean;
}

/** The formula that a line goes on with. `before`: the character before it. The first dollar behind it has to end it. */
function readInLine(source: string, before: string): FoundFormula | null {
  if (/[\w$\\]/.test(before)) {
    return null;
  }
  const [, open = "", close = ""] = source.startsWith("$`")
    ? ["", "$`", "`$"]
    : source.startsWith("$$")
      ? ["", "$$", "$$"]
      : ["", "$", "$"];
  const end = source.slice(0, longestInLine).indexOf(close, open.length);
  const text = end < 0 ? "" : source.slice(open.length, end);
  const after = source[end + close.length] ?? "";
  const isText = /^\s|\s$|\\$|\n/.test(text) && open === "$";
  if (text.trim() === "" || isText || /[\w$]/.test(after)) {
    return null;
  }
  return { raw: source.slice(0, end + close.length), text, display: open === "$$" };
}

/** The formula that stands by itself in the next lines. */
function readBlock(source: string): FoundFormula | null {
  const [start] = /^ {0,3}\$\$/.exec(source) ?? [];
  if (start === undefined) {
    return null;
  }
  const piece = source.slice(0, longestBlock);
  const end = piece.indexOf("$$", start.length);
  const text = end < 0 ? "" : piece.slice(start.length, end);
  const [rest] = /^[ \t]*(?:\n|$)/.exec(piece.slice(end + 2)) ?? [];
  return text.trim() === "" || /\n[ \t]*\n/.test(text) || rest === undefined
    ? null
    : { raw: source.slice(0, end + 2 + rest.length), text, display: true };
}

const tokenOf = (found: FoundFormula | null) => (found === null ? undefined : { type: "formula", ...found });

/** Renders the formulas of one document, and puts marks in their place. */
export class Formulas {
  private readonly made: string[] = [];
  private left = mostCharacters;
  private leftMs = longestTimeMs;

  /** Teaches the parser what formulas look like. */
  get extension(): MarkedExtension {
    const renderer = (token: Record<string, unknown>) => this.mark(String(token["text"]), token["display"] === true);
    return {
      extensions: [
        {
          name: "formulaBlock",
          level: "block",
          start: (source: string) => {
            const at = source.indexOf("\n$$");
            return at < 0 ? undefined : at + 1;
          },
          tokenizer: (source: string) => tokenOf(readBlock(source)),
        },
        {
          name: "formula",
          level: "inline",
          start: (source: string) => {
            const at = source.indexOf("$");
            return at < 0 ? undefined : at;
          },
          tokenizer: (source: string, tokens: Token[]) =>
            source.startsWith("$") ? tokenOf(readInLine(source, tokens.at(-1)?.raw.at(-1) ?? "")) : undefined,
          renderer,
        },
      ],
    };
  }

  /** Returns a mark for a formula; its source as code where it is none, or beyond the limits. */
  mark(source: string, display: boolean): string {
    const markup = this.render(source, display);
    if (markup !== null) {
      const mark = `${opening}${this.made.push(markup) - 1}${closing}`;
      return display ? `<p>${mark}</p>\n` : mark;
    }
    const code = `<code class="language-math">${escapeText(source)}</code>`;
    return display ? `<pre>${code}</pre>\n` : code;
  }

  private render(source: string, display: boolean): string | null {
    const hasMacros = definition.test(source);
    if (
      source.length > (hasMacros ? longestWithMacros : longestBlock) ||
      this.made.length >= mostFormulas ||
      this.leftMs <= 0
    ) {
      return null;
    }
    const started = performance.now();
    try {
      const options = {
        displayMode: display,
        throwOnError: true,
        trust: false,
        strict: false,
        ...bounds,
        ...(hasMacros ? { maxExpand: mostExpandedWithMacros } : {}),
      };
      const markup = sanitize(temml.renderToString(source, options));
      this.left -= markup.length;
      return this.left < 0 ? null : markup;
    } catch {
      // It is no TeX, defines macros without end, or is nested too deeply.
      return null;
    } finally {
      this.leftMs -= performance.now() - started;
    }
  }

  /** Puts the formulas into a sanitized document. */
  restore(html: string): string {
    return html.replace(markedFormula, (_, digits: string) =>
      // A wide one is scrolled, also with keys.
      (this.made[Number(digits)] ?? "").replace('<math display="block"', '$& tabindex="0"'),
    );
  }
}
