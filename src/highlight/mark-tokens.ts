import { longestColouredLine, type PutToken, type TokenClass } from "./code-language.ts";

/**
 * Writes the words of a text as markup, each line by itself: a word that goes over several lines is one in each of them.
 * Words are put in order.
 */
export class TokenMarkup {
  private markup = "";
  /** So far the text is written. */
  private at = 0;
  private kind: TokenClass | null = null;
  /** Where the class of what is not written yet begins. */
  private kindFrom = 0;
  /** Before this, nothing is coloured: it is a line that is too long. */
  private plainUntil = 0;
  private lineEnd = -1;

  constructor(private readonly text: string) {}

  readonly put: PutToken = (from, to, kind) => {
    if (from < this.at || to <= from) {
      return;
    }
    if (this.kind === kind && from === this.at) {
      this.at = to;
      return;
    }
    this.flush();
    this.plain(from);
    this.kind = kind;
    this.kindFrom = from;
    this.at = to;
  };

  /** The markup of the whole text, in as many lines as it has. */
  end(): string {
    this.flush();
    this.plain(this.text.length);
    return this.markup;
  }

  private plain(to: number): void {
    if (to > this.at) {
      this.markup += Bun.escapeHTML(this.text.slice(this.at, to));
      this.at = to;
    }
  }

  private flush(): void {
    const { kind, kindFrom } = this;
    if (kind === null) {
      return;
    }
    this.kind = null;
    const word = this.text.slice(kindFrom, this.at);
    if (this.isInLongLine(kindFrom)) {
      this.markup += Bun.escapeHTML(word);
      return;
    }
    const pieces = word.includes("\n") ? word.split("\n") : [word];
    this.markup += pieces
      .map((piece) => (piece === "" ? "" : `<i class=${kind}>${Bun.escapeHTML(piece)}</i>`))
      .join("\n");
  }

  private isInLongLine(from: number): boolean {
    if (from > this.lineEnd) {
      const found = this.text.indexOf("\n", from);
      this.lineEnd = found < 0 ? this.text.length : found;
      const begin = this.text.lastIndexOf("\n", from) + 1;
      this.plainUntil = this.lineEnd - begin > longestColouredLine ? this.lineEnd : 0;
    }
    return from < this.plainUntil;
  }
}
