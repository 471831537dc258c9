import type { TextLines } from "./compact-changes.ts";
import { isSpace } from "./ignore-whitespace.ts";

/** Deeper indentation counts as this much, so that texts that nobody indented cost little. */
const maxIndent = 200;
/** Further empty lines around a split are not looked at. */
const maxBlanks = 20;
const maxShift = 100;
/** The indent of an empty line and of places beyond the text. */
const blank = -1;

/** Smaller is better. The numbers are git's; only sums of them are compared. */
const penalties = {
  startOfFile: 1,
  endOfFile: 21,
  perBlank: -30,
  perBlankAfter: 6,
  indented: -4,
  indentedAfterBlank: 10,
  startsBlock: 24,
  startsBlockAfterBlank: 17,
  endsBlock: 23,
  endsBlockAfterBlank: 17,
} as const;
const indentWeight = 60;

interface Score {
  indent: number;
  penalty: number;
}

/**
 * Chooses among the places of a group of changed lines by how the text looks where the group begins and ends: best at
 * empty lines and where the indentation is small, as git's diff.indentHeuristic has it.
 */
export class IndentHeuristic {
  readonly #count: number;

  constructor(private readonly text: TextLines) {
    this.#count = text.starts.length - 1;
  }

  /** The best line for the end of a group of `size` lines, from `latestEnd` up to `earliestEnd`; late ones win. */
  bestEnd(latestEnd: number, earliestEnd: number, size: number): number {
    let best = -1;
    let bestScore: Score = { indent: 0, penalty: 0 };
    for (let end = Math.max(earliestEnd, latestEnd - size - 1, latestEnd - maxShift); end <= latestEnd; end++) {
      const score: Score = { indent: 0, penalty: 0 };
      this.#addSplit(end, score);
      this.#addSplit(end - size, score);
      const indents = Math.sign(score.indent - bestScore.indent);
      if (best === -1 || indentWeight * indents + score.penalty - bestScore.penalty <= 0) {
        best = end;
        bestScore = score;
      }
    }
    return best;
  }

  /** Adds what a split above the line at `split` counts for. */
  #addSplit(split: number, score: Score): void {
    const own = split >= this.#count ? blank : this.#indent(split);
    const above = this.#nearestText(split - 1, -1);
    const below = this.#nearestText(split + 1, 1);
    if (above.indent === blank && above.blanks === 0) {
      score.penalty += penalties.startOfFile;
    }
    if (split >= this.#count) {
      score.penalty += penalties.endOfFile;
    }
    const blanksAfter = own === blank ? 1 + below.blanks : 0;
    const blanks = above.blanks + blanksAfter;
    score.penalty += penalties.perBlank * blanks + penalties.perBlankAfter * blanksAfter;
    const indent = own === blank ? below.indent : own;
    score.indent += indent;
    if (indent === blank || above.indent === blank || indent === above.indent) {
      return;
    }
    if (indent > above.indent) {
      score.penalty += blanks > 0 ? penalties.indentedAfterBlank : penalties.indented;
    } else if (below.indent !== blank && below.indent > indent) {
      score.penalty += blanks > 0 ? penalties.startsBlockAfterBlank : penalties.startsBlock;
    } else {
      score.penalty += blanks > 0 ? penalties.endsBlockAfterBlank : penalties.endsBlock;
    }
  }

  /** The indentation of the first line from `at` on that is not empty, and how many empty ones come before it. */
  #nearestText(at: number, step: 1 | -1): { indent: number; blanks: number } {
    let blanks = 0;
    for (let line = at; line >= 0 && line < this.#count; line += step) {
      const indent = this.#indent(line);
      if (indent !== blank) {
        return { indent, blanks };
      }
      blanks++;
      if (blanks === maxBlanks) {
        return { indent: 0, blanks };
      }
    }
    return { indent: blank, blanks };
  }

  /** In columns, with tabs at every eighth. */
  #indent(line: number): number {
    const { bytes, starts } = this.text;
    let indent = 0;
    for (let at = starts[line]!; at < starts[line + 1]!; at++) {
      const byte = bytes[at]!;
      if (!isSpace(byte)) {
        return indent;
      }
      if (byte === 0x20) {
        indent++;
      } else if (byte === 0x09) {
        indent += 8 - (indent % 8);
      }
      if (indent >= maxIndent) {
        return maxIndent;
      }
    }
    return blank;
  }
}
