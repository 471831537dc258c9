import { LineAutomaton } from "./line-automaton.ts";
import { matchSpans, type MatchSpan } from "./match-spans.ts";
import { lineFeed, type PatternNode } from "./pattern-node.ts";
import { compileProgram, type Step } from "./pattern-program.ts";
import { requiredLiteral, type RequiredLiteral } from "./required-literal.ts";

/** A line of a text, without its line feed. */
export interface LineSpan {
  readonly start: number;
  readonly end: number;
}

/** A line that matches; `near`: a place in it that the first match to end has reached. */
export interface MatchingLine extends LineSpan {
  readonly near: number;
}

/** So much is gone through, and spent on new states, before others may have their turn. */
const stepBytes = 1 << 19;
const stepEffort = 200_000;
const linesAtOnce = 4096;

/** Finds the lines of texts in which a pattern matches, in time proportional to the text. */
export class LineSearch {
  readonly #program: readonly Step[];
  readonly #automaton: LineAutomaton;
  readonly #required: RequiredLiteral | null;

  /** Throws InvalidInput for a pattern that is too large. */
  constructor(pattern: PatternNode) {
    this.#program = compileProgram(pattern);
    this.#automaton = new LineAutomaton(this.#program);
    this.#required = requiredLiteral(pattern);
  }

  /** Finds the matches between two places of one line. Yields now and then. */
  spans(text: Uint8Array, place: LineSpan): Generator<void, readonly MatchSpan[]> {
    return matchSpans(this.#program, text, place);
  }

  /** The first line that matches from `from` on, where a line begins; null when there is none. Yields now and then. */
  *next(text: Uint8Array, from: number): Generator<void, MatchingLine | null> {
    if (this.#required === null) {
      return yield* this.#search(text, from, text.length);
    }
    const { bytes, isAll } = this.#required;
    const content = Buffer.from(text.buffer, text.byteOffset, text.byteLength);
    for (let at = from, tried = 1; at < text.length; tried++) {
      if (tried % linesAtOnce === 0) {
        yield;
      }
      const found = content.indexOf(bytes, at);
      if (found < 0) {
        return null;
      }
      const line = lineAround(content, found);
      const matched = isAll ? { ...line, near: found + bytes.length } : yield* this.#search(text, line.start, line.end);
      if (matched !== null) {
        return matched;
      }
      at = line.end + 1;
    }
    return null;
  }

  *#search(text: Uint8Array, from: number, end: number): Generator<void, MatchingLine | null> {
    if (from >= text.length) {
      return null;
    }
    const automaton = this.#automaton;
    automaton.begin(from);
    while (automaton.at < end) {
      const matched = automaton.run(text, Math.min(end, automaton.at + stepBytes), stepEffort);
      if (matched === true) {
        return matchingLine(text, automaton.at);
      }
      if (matched === null || automaton.at < end) {
        automaton.effort = 0;
        yield;
      }
    }
    // Behind a last line feed there is no further line.
    const isOpen = end === from || text[end - 1] !== lineFeed;
    return isOpen && automaton.finish() ? matchingLine(text, end) : null;
  }
}

function matchingLine(text: Uint8Array, near: number): MatchingLine {
  return { ...lineAround(text, near), near };
}

/** The line that has the byte at `at`, or ends there. */
function lineAround(text: Uint8Array, at: number): LineSpan {
  const start = at === 0 ? 0 : text.lastIndexOf(lineFeed, at - 1) + 1;
  const end = text.indexOf(lineFeed, at);
  return { start, end: end < 0 ? text.length : end };
}
