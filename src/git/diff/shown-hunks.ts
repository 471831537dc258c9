import type { TextLines } from "./compact-changes.ts";
import { groupChanges, type HunkOptions } from "./hunk-groups.ts";
import type { LineChange, TextDiff } from "./text-diff.ts";
import { firstInvalidUtf8 } from "./valid-utf8.ts";
import { findHeading } from "./write-hunks.ts";

/** Lines of both texts that are shown together. Lines are counted from 1. */
export interface DiffHunk {
  /** number of the first line on each side: of the first that would be there, if the hunk has none of that side */
  readonly before: number;
  readonly after: number;
  /** the line that says where the hunk is, as `git diff` finds it; empty: none */
  readonly heading: string;
  /** each begins with " ", "-" or "+"; "\\" alone: the line before it has no line feed at its end */
  readonly lines: readonly string[];
}

export interface HunkSelection extends HunkOptions {
  /** unchanged lines of the second text that are shown, too, from 1, both ends included */
  readonly shown: readonly (readonly [from: number, to: number])[];
  /** lines that are passed over, from the first one of the first hunk */
  readonly skip: number;
  /** lines that are returned at most, and their characters */
  readonly maxLines: number;
  readonly maxCharacters: number;
  /** longer lines are cut, bytes */
  readonly maxLineBytes: number;
}

export interface ShownHunks {
  readonly hunks: readonly DiffHunk[];
  /** lines that were returned */
  readonly lines: number;
  readonly characters: number;
  /** whether there are lines after them */
  readonly hasMore: boolean;
  /** whether lines were cut */
  readonly hasCutLines: boolean;
}

/** Lines of the second text from 0, the end excluded. */
interface Span {
  start: number;
  end: number;
}

const lineFeed = 0x0a;

/** The hunks of a diff as `git diff` has them, with further lines between them where they are asked for. */
export function shownHunks(diff: TextDiff, selection: HunkSelection): ShownHunks {
  const writer = new HunkWriter(diff, selection);
  let headingSearched = -1;
  let heading = "";
  for (const { span, changes } of spansOf(diff, selection)) {
    const first = changes[0];
    const shift = first === undefined ? shiftAt(diff.changes, span.start) : first.after - first.before;
    const start = span.start - shift;
    const found = findHeading(diff.before, start - 1, headingSearched);
    heading = found === null ? heading : Buffer.from(found.subarray(0, firstInvalidUtf8(found))).toString();
    headingSearched = start - 1;
    writer.begin(heading);
    if (!writer.write(start, span, changes)) {
      break;
    }
  }
  return writer.end();
}

/** How much further on a line of the second text is than the same line of the first. */
function shiftAt(changes: readonly LineChange[], line: number): number {
  let shift = 0;
  for (const { after, added, removed } of changes) {
    if (after + added > line) {
      break;
    }
    shift += added - removed;
  }
  return shift;
}

function spansOf(diff: TextDiff, selection: HunkSelection): { span: Span; changes: LineChange[] }[] {
  const { context, shown } = selection;
  const last = countOf(diff.after);
  const parts: { span: Span; changes: readonly LineChange[] }[] = groupChanges(diff, selection).map((group) => {
    const end = group.at(-1)!;
    return {
      span: { start: Math.max(0, group[0]!.after - context), end: Math.min(last, end.after + end.added + context) },
      changes: group,
    };
  });
  for (const [from, to] of shown) {
    if (from <= to && from <= last) {
      parts.push({ span: { start: Math.max(0, from - 1), end: Math.min(last, to) }, changes: [] });
    }
  }
  parts.sort((one, other) => one.span.start - other.span.start);
  const joined: { span: Span; changes: LineChange[] }[] = [];
  for (const { span, changes } of parts) {
    const before = joined.at(-1);
    // Changes that hide from a hunk, as of empty lines, lie between spans and never inside one.
    if (before !== undefined && span.start <= before.span.end) {
      before.span.end = Math.max(before.span.end, span.end);
      before.changes.push(...changes);
    } else {
      joined.push({ span: { ...span }, changes: [...changes] });
    }
  }
  return joined;
}

class HunkWriter {
  readonly #hunks: { before: number; after: number; heading: string; lines: string[] }[] = [];
  #heading = "";
  #begun = false;
  #passed = 0;
  #lines = 0;
  #characters = 0;
  #hasMore = false;
  #hasCutLines = false;

  constructor(
    private readonly diff: TextDiff,
    private readonly selection: HunkSelection,
  ) {}

  begin(heading: string): void {
    this.#heading = heading;
    this.#begun = false;
  }

  /** Returns false when no more lines fit. */
  write(start: number, span: Span, changes: readonly LineChange[]): boolean {
    let before = start;
    let after = span.start;
    for (const change of changes) {
      // Unchanged lines are those of the second text: the two may differ in whitespace.
      for (; after < change.after; before++, after++) {
        if (!this.#line(" ", this.diff.after, after, before, after)) {
          return false;
        }
      }
      for (; before < change.before + change.removed; before++) {
        if (!this.#line("-", this.diff.before, before, before, after)) {
          return false;
        }
      }
      for (; after < change.after + change.added; after++) {
        if (!this.#line("+", this.diff.after, after, before, after)) {
          return false;
        }
      }
    }
    for (; after < span.end; before++, after++) {
      if (!this.#line(" ", this.diff.after, after, before, after)) {
        return false;
      }
    }
    return true;
  }

  end(): ShownHunks {
    return {
      hunks: this.#hunks,
      lines: this.#lines,
      characters: this.#characters,
      hasMore: this.#hasMore,
      hasCutLines: this.#hasCutLines,
    };
  }

  #line(sign: string, { bytes, starts }: TextLines, line: number, before: number, after: number): boolean {
    const { skip, maxLines, maxCharacters, maxLineBytes } = this.selection;
    if (this.#passed < skip) {
      this.#passed++;
      return true;
    }
    if (this.#lines >= maxLines || this.#characters >= maxCharacters) {
      this.#hasMore = true;
      return false;
    }
    if (!this.#begun) {
      this.#begun = true;
      this.#hunks.push({ before: before + 1, after: after + 1, heading: this.#heading, lines: [] });
    }
    const start = starts[line]!;
    const end = starts[line + 1]!;
    const isEnded = bytes[end - 1] === lineFeed;
    const length = end - start - (isEnded ? 1 : 0);
    this.#hasCutLines ||= length > maxLineBytes;
    const text = Buffer.from(bytes.buffer, bytes.byteOffset + start, Math.min(length, maxLineBytes)).toString();
    const { lines } = this.#hunks.at(-1)!;
    lines.push(sign + text);
    if (!isEnded) {
      lines.push("\\");
    }
    this.#lines++;
    this.#characters += text.length;
    return true;
  }
}

function countOf({ starts }: TextLines): number {
  return starts.length - 1;
}
