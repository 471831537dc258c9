import { withoutCommonTail } from "../diff/common-tail.ts";
import { compactChanges, type TextLines } from "../diff/compact-changes.ts";
import { ignoreWhitespace, type Whitespace } from "../diff/ignore-whitespace.ts";
import { diffLines } from "../diff/line-diff.ts";
import { lineStarts, LineTable } from "../diff/line-table.ts";
import type { LineEdit } from "../diff/line-diff.ts";
import { ObjectType } from "../objects/object-type.ts";
import type { ObjectDatabase } from "../odb/object-database.ts";

interface Version {
  readonly bytes: Uint8Array;
  readonly starts: Int32Array;
  readonly lines: Int32Array;
}

/** Texts whose lines are known; beyond that all are forgotten. */
const keptBytes = 16 * 1024 * 1024;

/** Versions of one file, which are compared with each other: a line is numbered once, however many have it. */
export class FileVersions {
  #table = new LineTable(256 * 1024);
  #versions = new Map<number, Version>();
  #bytes = 0;
  /** the version that was read last, which the next is most likely almost equal to */
  #last: Version | null = null;

  constructor(
    private readonly db: ObjectDatabase,
    private readonly whitespace: Whitespace,
  ) {}

  /** How many lines a blob has. Throws CorruptPack. */
  countLines(blob: number): number {
    return this.#version(blob).lines.length;
  }

  /**
   * The edit from one blob to another as `git blame` sees it; beyond the ends of its arrays nothing changed.
   * Throws CorruptPack, DiffTooCostly.
   */
  compare(oldBlob: number, newBlob: number): LineEdit {
    // Both at once: the first may be forgotten when the second is read, and then is of another table.
    const old = this.#version(oldBlob);
    const now = this.#version(newBlob);
    if (this.#versions.get(oldBlob) !== old) {
      return this.compare(oldBlob, newBlob);
    }
    const [oldBytes, nowBytes] = withoutCommonTail(old.bytes, now.bytes);
    const [oldText, nowText] = [cut(old, oldBytes), cut(now, nowBytes)];
    const before = old.lines.subarray(0, oldText.starts.length - 1);
    const after = now.lines.subarray(0, nowText.starts.length - 1);
    const lines = { before, after, classes: this.#table.classes };
    const edit = diffLines(lines);
    compactChanges(edit, lines, [oldText, nowText]);
    return edit;
  }

  #version(blob: number): Version {
    let version = this.#versions.get(blob);
    if (version === undefined) {
      const { type, bytes } = this.db.read(blob);
      const text = type === ObjectType.blob ? bytes : new Uint8Array(0);
      if (this.#bytes > keptBytes) {
        this.#table = new LineTable(256 * 1024);
        this.#versions = new Map();
        this.#bytes = 0;
        this.#last = null;
      }
      version = this.whitespace === "significant" ? this.#numberLike(text) : this.#number(text, ignoreWhitespace(text, this.whitespace));
      this.#versions.set(blob, version);
      this.#last = version;
      this.#bytes += text.length + 8 * version.lines.length;
    }
    return version;
  }

  #number(text: Uint8Array, comparable: Uint8Array): Version {
    return { bytes: text, starts: lineStarts(text), lines: this.#table.number(comparable) };
  }

  /** Numbers only what is between the lines that a version has in common with the last one at both ends. */
  #numberLike(text: Uint8Array): Version {
    const last = this.#last;
    if (last === null) {
      return this.#number(text, text);
    }
    const head = commonHead(last.bytes, text);
    const tail = commonTail(last.bytes, text, Math.min(last.bytes.length, text.length) - head);
    // Whole lines only: the one that the head ends in may go on differently, the one that the tail begins in may too.
    const headLines = Math.max(0, firstLineFrom(last.starts, head + 1) - 1);
    const tailFrom = Math.min(last.lines.length, firstLineFrom(last.starts, last.bytes.length - tail + 1));
    const tailLines = last.lines.length - Math.max(tailFrom, headLines);
    const shift = text.length - last.bytes.length;
    const middleStart = last.starts[headLines]!;
    const middleEnd = last.starts[last.lines.length - tailLines]! + shift;
    if (middleEnd < middleStart) {
      return this.#number(text, text);
    }
    const middle = text.subarray(middleStart, middleEnd);
    const numbers = this.#table.number(middle);
    const lines = new Int32Array(headLines + numbers.length + tailLines);
    lines.set(last.lines.subarray(0, headLines));
    lines.set(numbers, headLines);
    lines.set(last.lines.subarray(last.lines.length - tailLines), headLines + numbers.length);
    const starts = new Int32Array(lines.length + 1);
    starts.set(last.starts.subarray(0, headLines));
    const middleStarts = lineStarts(middle);
    for (let line = 0; line < numbers.length; line++) {
      starts[headLines + line] = middleStart + middleStarts[line]!;
    }
    for (let line = 0; line <= tailLines; line++) {
      starts[starts.length - 1 - line] = last.starts[last.starts.length - 1 - line]! + shift;
    }
    return { bytes: text, starts, lines };
  }
}

const blockBytes = 1024;

/** Bytes that two texts begin with in common, in whole blocks. */
function commonHead(left: Uint8Array, right: Uint8Array): number {
  const shorter = Math.min(left.length, right.length);
  let same = 0;
  while (same + blockBytes <= shorter && Buffer.compare(left.subarray(same, same + blockBytes), right.subarray(same, same + blockBytes)) === 0) {
    same += blockBytes;
  }
  return same;
}

/** Bytes that two texts end with in common, in whole blocks and at most `limit`. */
function commonTail(left: Uint8Array, right: Uint8Array, limit: number): number {
  let same = 0;
  for (; same + blockBytes <= limit; same += blockBytes) {
    const [leftEnd, rightEnd] = [left.length - same, right.length - same];
    if (Buffer.compare(left.subarray(leftEnd - blockBytes, leftEnd), right.subarray(rightEnd - blockBytes, rightEnd)) !== 0) {
      break;
    }
  }
  return same;
}

/** The first line that begins at a byte or behind it; the number of lines when none does. */
function firstLineFrom(starts: Int32Array, at: number): number {
  let [low, high] = [0, starts.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (starts[middle]! < at) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/** A version up to the end of a line. */
function cut({ starts }: Version, bytes: Uint8Array): TextLines {
  return { bytes, starts: starts.subarray(0, firstLineFrom(starts, bytes.length) + 1) };
}
