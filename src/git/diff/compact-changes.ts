import { IndentHeuristic } from "./indent-heuristic.ts";
import type { LineEdit } from "./line-diff.ts";
import type { NumberedLines } from "./line-table.ts";

/** A text and where its lines start (`lineStarts`). */
export interface TextLines {
  readonly bytes: Uint8Array;
  readonly starts: Int32Array;
}

/**
 * Slides groups of changed lines up or down where the lines around them allow it, as git does: groups that meet become
 * one, a group stays beside the other text's change if it can, and otherwise (with `texts`, of both sides) it goes where
 * the indentation of the lines looks best. Changes the edit in place.
 */
export function compactChanges(
  edit: LineEdit,
  lines: NumberedLines,
  texts: readonly [TextLines, TextLines] | null,
): void {
  compactSide(lines.before, edit.removed, edit.added, texts === null ? null : new IndentHeuristic(texts[0]));
  compactSide(lines.after, edit.added, edit.removed, texts === null ? null : new IndentHeuristic(texts[1]));
}

function compactSide(
  lines: Int32Array,
  changed: Uint8Array,
  otherChanged: Uint8Array,
  indents: IndentHeuristic | null,
): void {
  const group = new Group(changed, lines);
  // Between two unchanged lines there is a group, often an empty one, on both sides: so the two go side by side.
  const other = new Group(otherChanged, null);
  do {
    if (!group.empty) {
      slide(group, other, indents);
    }
    // Both end together, as both texts have as many unchanged lines.
    other.next();
  } while (group.next());
}

/** Puts one group where it belongs. */
function slide(group: Group, other: Group, indents: IndentHeuristic | null): void {
  let earliestEnd: number;
  let besideOther: boolean;
  let size: number;
  do {
    size = group.end - group.start;
    while (group.slideUp()) {
      other.previous();
    }
    earliestEnd = group.end;
    besideOther = !other.empty;
    while (group.slideDown()) {
      other.next();
      besideOther ||= !other.empty;
    }
  } while (size !== group.end - group.start);
  if (group.end === earliestEnd) {
    return;
  }
  if (besideOther) {
    while (other.empty) {
      group.slideUp();
      other.previous();
    }
  } else if (indents !== null) {
    const best = indents.bestEnd(group.end, earliestEnd, size);
    while (group.end > best) {
      group.slideUp();
      other.previous();
    }
  }
}

/** The changed lines from `start` to before `end`: those between two unchanged lines, which may be none. */
class Group {
  start = 0;
  end = 0;

  /** lines: null for a group that is only followed */
  constructor(
    private readonly changed: Uint8Array,
    private readonly lines: Int32Array | null,
  ) {
    this.#extend();
  }

  get empty(): boolean {
    return this.start === this.end;
  }

  /** Goes to the group after the next unchanged line; false at the end of the text. */
  next(): boolean {
    if (this.end === this.changed.length) {
      return false;
    }
    this.start = this.end + 1;
    this.end = this.start;
    this.#extend();
    return true;
  }

  previous(): void {
    this.end = this.start - 1;
    this.start = this.end;
    this.#extendUp();
  }

  /** Moves the group one line down, where it may meet and take in another. */
  slideDown(): boolean {
    const { changed, start, end } = this;
    if (end >= changed.length || this.lines![start] !== this.lines![end]) {
      return false;
    }
    changed[start] = 0;
    changed[end] = 1;
    this.start++;
    this.end++;
    this.#extend();
    return true;
  }

  slideUp(): boolean {
    const { changed, start, end } = this;
    if (start === 0 || this.lines![start - 1] !== this.lines![end - 1]) {
      return false;
    }
    changed[start - 1] = 1;
    changed[end - 1] = 0;
    this.start--;
    this.end--;
    this.#extendUp();
    return true;
  }

  #extend(): void {
    const { changed } = this;
    while (this.end < changed.length && changed[this.end] === 1) {
      this.end++;
    }
  }

  #extendUp(): void {
    const { changed } = this;
    while (this.start > 0 && changed[this.start - 1] === 1) {
      this.start--;
    }
  }
}
