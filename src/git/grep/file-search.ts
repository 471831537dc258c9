import { InvalidInput } from "../../lib/errors.ts";
import type { LineSearch, LineSpan } from "./line-search.ts";
import { lineFeed } from "./pattern-node.ts";

export interface FoundLine {
  /** from 1 */
  readonly number: number;
  /** without its line feed; what is not UTF-8 becomes replacement characters */
  readonly text: string;
  /** whether the line is longer, and only its beginning is here */
  readonly isCut: boolean;
  /** false: it is here because one that matches is near */
  readonly isMatch: boolean;
}

export interface FoundFile {
  readonly path: string;
  /** hexadecimal oid of the blob */
  readonly oid: string;
  /** in their order */
  readonly lines: readonly FoundLine[];
}

interface FoundLines {
  readonly lines: readonly FoundLine[];
  readonly matches: number;
  readonly bytes: number;
}

const maxLineBytes = 2000;
const maxContextLines = 100;
/** So many lines are taken in before others may have their turn. */
const matchesAtOnce = 1024;
/** What a line costs besides its text. */
const lineOverhead = 64;

/** Finds the lines of one file after the other that match, with lines around them. */
export class FileSearch {
  /** `context`: how many lines. Throws InvalidInput when they are too many. */
  constructor(
    private readonly search: LineSearch,
    private readonly context: { readonly before: number; readonly after: number },
  ) {
    if (Math.max(context.before, context.after) > maxContextLines) {
      throw new InvalidInput(`Cannot answer more than ${maxContextLines} lines around each that is found`, "context");
    }
  }

  /** Null when no line matches. Ends with the match that reaches one of the limits. Yields now and then. */
  *run(
    text: Uint8Array,
    limits: { readonly matches: number; readonly bytes: number },
  ): Generator<void, FoundLines | null> {
    const found = new LineCollector(text, this.context);
    for (let at = 0; found.matches < limits.matches && found.bytes < limits.bytes;) {
      const line = yield* this.search.next(text, at);
      if (line === null) {
        break;
      }
      found.addMatch(line);
      at = line.end + 1;
      if (found.matches % matchesAtOnce === 0) {
        yield;
      }
    }
    found.addFollowing(text.length);
    return found.matches === 0 ? null : found;
  }
}

class LineCollector implements FoundLines {
  readonly lines: FoundLine[] = [];
  matches = 0;
  bytes = 0;
  /** where the first line begins that is not listed yet, nor passed over, and its number */
  #next = 0;
  #number = 1;

  constructor(
    private readonly text: Uint8Array,
    private readonly context: { readonly before: number; readonly after: number },
  ) {}

  addMatch(line: LineSpan): void {
    if (this.matches > 0) {
      this.addFollowing(line.start);
    }
    const first = this.#linesBefore(line.start);
    for (; this.#next < first; this.#next = this.#endOf(this.#next) + 1) {
      this.#number++;
    }
    while (this.#next < line.start) {
      this.#add(false);
    }
    this.#add(true);
    this.matches++;
  }

  /** The lines behind a match, as far as `end`. */
  addFollowing(end: number): void {
    for (let count = 0; this.matches > 0 && count < this.context.after && this.#next < end; count++) {
      this.#add(false);
    }
  }

  /** Where the lines before one begin, of those that are not listed yet. */
  #linesBefore(start: number): number {
    let first = start;
    for (let count = 0; count < this.context.before && first > this.#next; count++) {
      first = first < 2 ? 0 : this.text.lastIndexOf(lineFeed, first - 2) + 1;
    }
    return first;
  }

  #add(isMatch: boolean): void {
    const start = this.#next;
    const end = this.#endOf(start);
    const cut = Math.min(end, start + maxLineBytes);
    const text = Buffer.from(this.text.buffer, this.text.byteOffset, this.text.byteLength).toString("utf8", start, cut);
    this.lines.push({ number: this.#number, text, isCut: cut < end, isMatch });
    this.bytes += cut - start + lineOverhead;
    this.#next = end + 1;
    this.#number++;
  }

  #endOf(start: number): number {
    const end = this.text.indexOf(lineFeed, start);
    return end < 0 ? this.text.length : end;
  }
}
