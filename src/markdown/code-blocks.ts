import { findNamedLanguage, highlight } from "../highlight/highlight-code.ts";

/** A longer piece of code is shown without colours, and so is what comes after so much altogether, or after so long. */
const longestCode = 64 * 1024;
const mostCode = 256 * 1024;
const longestTimeMs = 300;

/** Colours the code of one document. */
export class CodeBlocks {
  private left = mostCode;
  private leftMs = longestTimeMs;

  /** HTML of a piece of code in a language that is named as people name it; null for an unknown one, and beyond the limits. */
  async highlight(code: string, name: string): Promise<string | null> {
    const language = name === "" || code.length > longestCode ? null : await findNamedLanguage(name);
    if (language === null || code.length > this.left || this.leftMs <= 0) {
      return null;
    }
    const started = performance.now();
    const highlighted = highlight(language, code, this.leftMs);
    this.left -= code.length;
    this.leftMs -= performance.now() - started;
    return highlighted?.markup ?? null;
  }
}
