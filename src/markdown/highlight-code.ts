interface Library {
  getLanguage(name: string): unknown;
  highlight(code: string, options: { language: string; ignoreIllegals: boolean }): { value: string };
}

/** Required, not imported: with its types come those of browsers, which contradict Bun's. */
const library = require("highlight.js") as Library;

/**
 * A longer piece of code is shown without colours, and so is what comes after so much altogether, or after so long. The library's expressions
 * take time that grows with the square of a long row of the same character: 16 kB take up to a few seconds, in which nothing can end the thread.
 */
const longestCode = 16 * 1024;
const mostCode = 256 * 1024;
const longestTimeMs = 500;

/**
 * Marks the words of code with classes such as `hljs-keyword`, for one document. Loading this module takes 0.1 s for
 * the library.
 */
export class CodeHighlighter {
  private left = mostCode;
  private leftMs = longestTimeMs;

  /** HTML of a piece of code in a language that is named as people name it; null for an unknown one, and beyond the limits. */
  highlight(code: string, language: string): string | null {
    if (code.length > Math.min(longestCode, this.left) || this.leftMs <= 0 || !library.getLanguage(language)) {
      return null;
    }
    const started = performance.now();
    const { value } = library.highlight(code, { language, ignoreIllegals: true });
    this.left -= code.length;
    this.leftMs -= performance.now() - started;
    return value;
  }
}
