import { firstLineFrom } from "../diff/common-lines.ts";
import { withoutCommonTail } from "../diff/common-tail.ts";
import { compactChanges, type TextLines } from "../diff/compact-changes.ts";
import { demandHeavyLane } from "../job/lane.ts";
import { DiffTooCostly } from "../diff/diff-effort.ts";
import type { Whitespace } from "../diff/ignore-whitespace.ts";
import { diffLines } from "../diff/line-diff.ts";
import { maxTextBytes } from "../diff/side-content.ts";
import { LineTable, type NumberedText } from "../diff/line-table.ts";
import type { LineEdit } from "../diff/line-diff.ts";
import { ObjectType } from "../objects/object-type.ts";
import type { ObjectDatabase } from "../odb/object-database.ts";

/** Texts up to this size are compared line by line in a thread that others wait for: about 10 ms. */
const lightBytes = 1024 * 1024;

/** Texts whose lines are known; beyond that all are forgotten. */
const keptBytes = 16 * 1024 * 1024;

/** Versions of one file, which are compared with each other: a line is numbered once, however many have it. */
export class FileVersions {
  #table = new LineTable(256 * 1024);
  #versions = new Map<number, NumberedText>();
  #bytes = 0;
  /** the version that was read last, which the next is most likely almost equal to */
  #last: NumberedText | null = null;

  constructor(
    private readonly db: ObjectDatabase,
    private readonly whitespace: Whitespace,
  ) {}

  /** How many lines a blob has. Throws CorruptPack, and DiffTooCostly for one that is too large to be a text. */
  countLines(blob: number): number {
    return this.#version(blob).numbers.length;
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
    const before = old.numbers.subarray(0, oldText.starts.length - 1);
    const after = now.numbers.subarray(0, nowText.starts.length - 1);
    const lines = { before, after, classes: this.#table.classes };
    const edit = diffLines(lines);
    compactChanges(edit, lines, [oldText, nowText]);
    return edit;
  }

  #version(blob: number): NumberedText {
    let version = this.#versions.get(blob);
    if (version === undefined) {
      const object = this.db.readUpTo(blob, maxTextBytes);
      if (object === null) {
        throw new DiffTooCostly();
      }
      const { type, bytes } = object;
      if (bytes.length > lightBytes) {
        demandHeavyLane();
      }
      const text = type === ObjectType.blob ? bytes : new Uint8Array(0);
      if (this.#bytes > keptBytes) {
        this.#table = new LineTable(256 * 1024);
        this.#versions = new Map();
        this.#bytes = 0;
        this.#last = null;
      }
      version =
        this.whitespace === "significant" && this.#last !== null
          ? this.#table.readLike(text, this.#last)
          : this.#table.read(text, this.whitespace);
      this.#versions.set(blob, version);
      this.#last = version;
      this.#bytes += text.length + 8 * version.numbers.length;
    }
    return version;
  }
}

/** A version up to the end of a line. */
function cut({ starts }: NumberedText, bytes: Uint8Array): TextLines {
  return { bytes, starts: starts.subarray(0, firstLineFrom(starts, bytes.length) + 1) };
}
