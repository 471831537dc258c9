import { detectLanguage, findLanguage, languageOfExtension } from "../lib/languages/detect-language.ts";
import { linguistTables } from "../lib/languages/linguist-tables.ts";
import type { CodeLanguage, CodeSymbol } from "./code-language.ts";
import { findCodeLanguage } from "./languages.ts";
import { TokenMarkup } from "./mark-tokens.ts";

/** A text with its words in classes. */
export interface HighlightedCode {
  /** HTML of the text, escaped, with `<i class=k>` around words: each line by itself. */
  readonly markup: string;
  readonly symbols: readonly CodeSymbol[];
}

/** So much of a file's beginning tells its language. */
const sampleLength = 16 * 1024;

/**
 * Colours a text in the language that its path and its beginning tell; null for none that can be read, or if the text is
 * nested too deeply. Where it takes longer than `limitMs`, the rest stays plain. The tables and the grammar are loaded before that.
 */
export async function highlightFile(path: string, text: string, limitMs: number): Promise<HighlightedCode | null> {
  const name = detectLanguage(path, text.slice(0, sampleLength));
  const language = name === null ? null : await codeLanguageOf(name);
  return language === null ? null : highlight(language, text, limitMs);
}

/** How to read a language that is named as people name it: `ts`, `C++`; null for one that nobody knows. */
export async function findNamedLanguage(name: string): Promise<CodeLanguage | null> {
  const found = name.length > 40 ? null : (findLanguage(name) ?? languageOfExtension(name));
  return found === null ? null : codeLanguageOf(found);
}

async function codeLanguageOf(name: string): Promise<CodeLanguage | null> {
  return findCodeLanguage(name, linguistTables().languages.get(name)?.group);
}

/** Colours a text in a language; null if it is nested too deeply, or if a mode fails on it: they are many, and others wrote them. */
export function highlight(language: CodeLanguage, text: string, limitMs: number): HighlightedCode | null {
  const tokens = new TokenMarkup(text);
  try {
    const symbols = language.read(text, performance.now() + limitMs, tokens.put);
    return { markup: tokens.end(), symbols };
  } catch {
    return null;
  }
}
