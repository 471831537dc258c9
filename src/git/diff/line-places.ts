import { groupChanges, type HunkOptions } from "./hunk-groups.ts";
import type { LineChange, TextDiff } from "./text-diff.ts";
import type { TextLines } from "./compact-changes.ts";

/** Sides of a diff: the first text and the second one. */
export type DiffSide = "old" | "new";

/** The options of `git diff` for hunks. */
const hunkOptions: HunkOptions = { context: 3, ignoreBlankLines: false, whitespace: "significant" };

/** So many lines of a hunk before the requested ones are kept. */
const keptBefore = 3;

/** The most lines of a hunk that are kept: those of the other side may be between the requested ones. */
const mostKept = 400;

/** Longer lines, for example in generated files, are cut. Bytes. */
const keptLineBytes = 1000;

/**
 * Where a line of the first text is in the second one. Lines are counted from 1. Returns null for a line that the changes
 * removed, or changed.
 */
export function followLine(changes: readonly LineChange[], line: number): number | null {
  let shift = 0;
  for (const { before, removed, added } of changes) {
    if (line <= before) {
      break;
    }
    if (line <= before + removed) {
      return null;
    }
    shift += added - removed;
  }
  return line + shift;
}

/**
 * Where a line and the `extra` lines before it are. Lines that came between them belong to them. Returns null if one of them
 * was removed, or changed.
 */
export function followRange(
  changes: readonly LineChange[],
  line: number,
  extra: number,
): { readonly line: number; readonly extra: number } | null {
  const [first, last] = [followLine(changes, line - extra), followLine(changes, line)];
  const loses = changes.some(({ before, removed }) => removed > 0 && before >= line - extra && before < line);
  return first === null || last === null || loses ? null : { line: last, extra: last - first };
}

/** Which lines of a side are asked for: a line, and so many before it. `anywhere`: also where no hunk of `git diff` has them. */
export interface HunkAsked {
  readonly side: DiffSide;
  readonly line: number;
  readonly extra: number;
  readonly anywhere: boolean;
}

/** A line of a hunk, by its numbers from 0 on both sides. */
interface HunkLine {
  readonly sign: " " | "-" | "+";
  readonly old: number;
  readonly new: number;
}

/**
 * The hunk of `git diff` that has these lines of one side, from three lines before them up to the last one, as a hunk of its own
 * without a heading. Lines are counted from 1. Returns null for lines that no hunk has, or the side does not have.
 */
export function hunkUpTo(diff: TextDiff, { side, line, extra, anywhere }: HunkAsked): string | null {
  const [first, last] = [line - extra - 1, line - 1];
  const { changes } = diff;
  for (const hunk of anywhere ? [linesOf(diff, changes, Infinity)] : hunksOf(diff)) {
    let kept: HunkLine[] = [];
    let hasFirst = false;
    for (const one of hunk) {
      const isAsked = one.sign !== (side === "old" ? "+" : "-");
      kept.push(one);
      hasFirst ||= isAsked && one[side] === first;
      if (!hasFirst) {
        kept = kept.slice(-keptBefore);
      } else if (isAsked && one[side] === last) {
        return writeHunk(diff, kept.slice(-mostKept));
      }
    }
  }
  return null;
}

function* hunksOf(diff: TextDiff): Generator<Generator<HunkLine>> {
  for (const group of groupChanges(diff, hunkOptions)) {
    yield linesOf(diff, group, hunkOptions.context);
  }
}

/** The lines around these changes in their order. */
function* linesOf(diff: TextDiff, group: readonly LineChange[], context: number): Generator<HunkLine> {
  const first = group[0] ?? { before: 0, after: 0 };
  const before = Math.min(context, first.before, first.after);
  let [old, now] = [first.before - before, first.after - before];
  for (const change of group) {
    while (old < change.before) {
      yield { sign: " ", old: old++, new: now++ };
    }
    while (old < change.before + change.removed) {
      yield { sign: "-", old: old++, new: now };
    }
    while (now < change.after + change.added) {
      yield { sign: "+", old, new: now++ };
    }
  }
  for (let more = Math.min(context, countOf(diff.before) - old, countOf(diff.after) - now); more > 0; more--) {
    yield { sign: " ", old: old++, new: now++ };
  }
}

function writeHunk(diff: TextDiff, lines: readonly HunkLine[]): string {
  const first = lines[0]!;
  const olds = lines.filter(({ sign }) => sign !== "+").length;
  const news = lines.filter(({ sign }) => sign !== "-").length;
  const header = `@@ -${range(first.old, olds)} +${range(first.new, news)} @@`;
  return [header, ...lines.map((one) => one.sign + textOf(diff, one))].join("\n");
}

/** As git writes it: an empty range names the line before it, and a count of one is left out. */
function range(start: number, count: number): string {
  const from = count === 0 ? start : start + 1;
  return count === 1 ? `${from}` : `${from},${count}`;
}

function textOf({ before, after }: TextDiff, { sign, old, new: now }: HunkLine): string {
  const { bytes, starts } = sign === "-" ? before : after;
  const line = sign === "-" ? old : now;
  const start = starts[line]!;
  const end = Math.min(starts[line + 1]!, start + keptLineBytes);
  // The database stores no NUL.
  return Buffer.from(bytes.subarray(start, end))
    .toString()
    .replace(/\r?\n$/, "")
    .replaceAll("\0", "\ufffd");
}

function countOf({ starts }: TextLines): number {
  return starts.length - 1;
}
