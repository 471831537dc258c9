/** Something that a text declares. */
export interface CodeSymbol {
  readonly name: string;
  readonly kind: "class" | "interface" | "type" | "enum" | "function" | "method" | "module" | "heading";
  /** From 1. */
  readonly line: number;
  /** 0: within nothing else. */
  readonly depth: number;
}

/**
 * What a word is: keyword, string, comment, number, function, type, heading, added line, deleted line. They are classes in
 * pages, of one letter each, since a page has thousands.
 */
export type TokenClass = "k" | "s" | "c" | "n" | "f" | "t" | "h" | "a" | "d";

/** Takes a range of the text that has a class. Ranges come in order, and apart from each other. */
export type PutToken = (from: number, to: number, kind: TokenClass) => void;

/** A language in which texts can be read. */
export interface CodeLanguage {
  /**
   * Finds the words of a text and what it declares. Behind `deadline`, a moment of `performance.now()`, it stops: the rest
   * has no words. A text can be nested so deep that it throws RangeError.
   */
  read(text: string, deadline: number, put: PutToken): readonly CodeSymbol[];
}

/** A line that is longer was made by a program, and is not coloured. */
export const longestColouredLine = 5000;

/** The most symbols of one text. */
export const mostSymbols = 2000;

/** A longer name is cut off. */
export const longestSymbolName = 120;
