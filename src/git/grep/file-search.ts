import { InvalidInput } from "../../lib/errors.ts";
import type { LineSearch, LineSpan, MatchingLine } from "./line-search.ts";
import type { MatchSpan } from "./match-spans.ts";
import { lineFeed } from "./pattern-node.ts";

export interface FoundLine {
  /** from 1 */
  readonly number: number;
  /** without its line feed; what is not UTF-8 becomes replacement characters */
  readonly text: string;
  /** where in the line the text begins, bytes */
  readonly offset: number;
  /** whether the line is longer, and only a part of it is here: of one that matches what is around its first match */
  readonly isCut: boolean;
  /** false: it is here because one that matches is near */
  readonly isMatch: boolean;
  /** what matches in the part that is here, at most 100 */
  readonly matches: readonly FoundMatch[];
}

/** A part of a found line, from `start` to before `end`. */
export interface FoundMatch {
  /** in the line, bytes */
  readonly startByte: number;
  readonly endByte: number;
  /** in the text, Unicode code points */
  readonly start: number;
  readonly end: number;
}

export interface FoundFile {
  readonly path: string;
  /** hexadecimal oid of the blob */
  readonly oid: string;
  /** in their order */
  readonly lines: readonly FoundLine[];
  /** whether more lines may match than are here, because of the limits */
  readonly isCut: boolean;
}

interface FoundLines {
  readonly lines: readonly FoundLine[];
  readonly matches: number;
  readonly bytes: number;
  readonly isCut: boolean;
}

const maxLineBytes = 2000;
const maxContextLines = 100;
/** So many lines are taken in before others may have their turn. */
const matchesAtOnce = 1024;
/** Bytes of a line besides its text. */
const lineOverhead = 64;
/** Bytes of a match besides its text. */
const matchOverhead = 48;

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
      const part = partOf(text, line, line.near);
      found.addMatch(line, part, yield* this.search.spans(text, part));
      at = line.end + 1;
      if (found.matches % matchesAtOnce === 0) {
        yield;
      }
    }
    found.isCut = found.matches >= limits.matches || found.bytes >= limits.bytes;
    found.addFollowing(text.length);
    return found.matches === 0 ? null : found;
  }
}

class LineCollector implements FoundLines {
  readonly lines: FoundLine[] = [];
  matches = 0;
  bytes = 0;
  isCut = false;
  /** where the first line begins that is not listed yet, nor passed over, and its number */
  #next = 0;
  #number = 1;

  constructor(
    private readonly text: Uint8Array,
    private readonly context: { readonly before: number; readonly after: number },
  ) {}

  addMatch(line: MatchingLine, part: LineSpan, spans: readonly MatchSpan[]): void {
    if (this.matches > 0) {
      this.addFollowing(line.start);
    }
    const first = this.#linesBefore(line.start);
    for (; this.#next < first; this.#next = this.#endOf(this.#next) + 1) {
      this.#number++;
    }
    while (this.#next < line.start) {
      this.#addContext();
    }
    this.#add(line, part, spans);
    this.matches++;
  }

  /** The lines behind a match, as far as `end`. */
  addFollowing(end: number): void {
    for (let count = 0; this.matches > 0 && count < this.context.after && this.#next < end; count++) {
      this.#addContext();
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

  #addContext(): void {
    const line = { start: this.#next, end: this.#endOf(this.#next) };
    this.#add(line, partOf(this.text, line, line.start), null);
  }

  /** `spans` is null where the line does not match. */
  #add(line: LineSpan, part: LineSpan, spans: readonly MatchSpan[] | null): void {
    this.lines.push({
      number: this.#number,
      text: textOf(this.text, part.start, part.end),
      offset: part.start - line.start,
      isCut: part.end - part.start < line.end - line.start,
      isMatch: spans !== null,
      matches: spans === null ? [] : placesOf(this.text, line, part, spans),
    });
    this.bytes += part.end - part.start + lineOverhead + matchOverhead * (spans?.length ?? 0);
    this.#next = line.end + 1;
    this.#number++;
  }

  #endOf(start: number): number {
    const end = this.text.indexOf(lineFeed, start);
    return end < 0 ? this.text.length : end;
  }
}

/** The part of a line that is shown: all of it, or what is around `near`, cut between characters. */
function partOf(text: Uint8Array, line: LineSpan, near: number): LineSpan {
  if (line.end - line.start <= maxLineBytes) {
    return line;
  }
  const latest = line.end - maxLineBytes;
  const start = Math.min(Math.max(near - maxLineBytes / 2, line.start), latest);
  return { start: characterAt(text, start, line.start), end: characterAt(text, start + maxLineBytes, line.end) };
}

/** Where the UTF-8 character begins that has the byte at `at`; `edge`, a beginning or an end of the line, is one itself. */
function characterAt(text: Uint8Array, at: number, edge: number): number {
  let start = at;
  while (start !== edge && at - start < 3 && ((text[start] ?? 0) & 0xc0) === 0x80) {
    start--;
  }
  return start;
}

function textOf(text: Uint8Array, start: number, end: number): string {
  return Buffer.from(text.buffer, text.byteOffset, text.byteLength).toString("utf8", start, end);
}

/** Where matches are in the line, and in the characters of its part. */
function placesOf(text: Uint8Array, line: LineSpan, part: LineSpan, spans: readonly MatchSpan[]): FoundMatch[] {
  let at = part.start;
  let characters = 0;
  const advance = (to: number): number => {
    characters += lengthOf(textOf(text, at, to));
    at = to;
    return characters;
  };
  return spans.map(({ start, end }) => ({
    startByte: start - line.start,
    endByte: end - line.start,
    start: advance(start),
    end: advance(end),
  }));
}

/** Unicode code points. */
function lengthOf(text: string): number {
  let length = 0;
  for (const _ of text) {
    length++;
  }
  return length;
}
