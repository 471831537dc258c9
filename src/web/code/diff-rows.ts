import type { DiffHunk } from "../../git/diff/shown-hunks.ts";
import { diffWords, type Range } from "./word-diff.ts";

/** A line of a diff. */
export interface DiffRow {
  readonly kind: "same" | "removed" | "added";
  /** number in the old file, from 1; null in an added line */
  readonly before: number | null;
  /** number in the new file; null in a removed line */
  readonly after: number | null;
  readonly text: string;
  /** parts of the text that the line beside it does not have */
  words: readonly Range[];
  /** whether the line went from one place to another as it is */
  moved: boolean;
  /** whether no line feed ends it */
  isOpen: boolean;
}

/** Two rows beside each other; null: there is nothing on that side. */
export type RowPair = readonly [before: DiffRow | null, after: DiffRow | null];

const kinds = { " ": "same", "-": "removed", "+": "added" } as const;

/** The lines of a hunk with their numbers, and the words in which they differ. */
export function rowsOf(hunk: DiffHunk): DiffRow[] {
  const rows: DiffRow[] = [];
  let { before, after } = hunk;
  for (const line of hunk.lines) {
    const kind = kinds[line[0] as keyof typeof kinds];
    const last = rows.at(-1);
    if (kind === undefined) {
      if (last !== undefined) {
        last.isOpen = true;
      }
      continue;
    }
    rows.push({
      kind,
      before: kind === "added" ? null : before++,
      after: kind === "removed" ? null : after++,
      text: line.slice(1),
      words: [],
      moved: false,
      isOpen: false,
    });
  }
  for (const [old, now] of pairRows(rows)) {
    if (old !== null && now !== null && old !== now) {
      const { removed, added } = diffWords(old.text, now.text);
      old.words = removed;
      now.words = added;
    }
  }
  return rows;
}

/** Puts each removed line beside the added one in its place. An unchanged line is on both sides. */
export function pairRows(rows: readonly DiffRow[]): RowPair[] {
  const pairs: RowPair[] = [];
  for (let at = 0; at < rows.length;) {
    const row = rows[at]!;
    if (row.kind === "same") {
      pairs.push([row, row]);
      at++;
      continue;
    }
    const removed = runOf(rows, at, "removed");
    const added = runOf(rows, at + removed.length, "added");
    for (let index = 0; index < Math.max(removed.length, added.length); index++) {
      pairs.push([removed[index] ?? null, added[index] ?? null]);
    }
    at += removed.length + added.length;
  }
  return pairs;
}

function runOf(rows: readonly DiffRow[], from: number, kind: DiffRow["kind"]): DiffRow[] {
  let end = from;
  while (rows[end]?.kind === kind) {
    end++;
  }
  return rows.slice(from, end);
}

/** Letters and digits that a block of moved lines has at least, as git's `--color-moved=blocks` wants them: braces alone move nowhere. */
const leastMoved = 20;

/** Marks the lines that were removed in one place of a diff and added in another. */
export function markMoved(hunks: readonly (readonly DiffRow[])[]): void {
  const all = hunks.flat();
  const texts = (kind: DiffRow["kind"]) => new Set(all.filter((row) => row.kind === kind).map(({ text }) => text));
  const [removed, added] = [texts("removed"), texts("added")];
  const hasMoved = ({ kind, text }: DiffRow): boolean =>
    kind === "removed" ? added.has(text) : kind === "added" && removed.has(text);
  for (const rows of hunks) {
    for (let at = 0; at < rows.length;) {
      const { kind } = rows[at]!;
      const block: DiffRow[] = [];
      while (rows[at]?.kind === kind && hasMoved(rows[at]!)) {
        block.push(rows[at++]!);
      }
      const length = block.reduce((sum, { text }) => sum + (text.match(/[\p{L}\p{N}]/gu)?.length ?? 0), 0);
      for (const row of length >= leastMoved ? block : []) {
        row.moved = true;
        // It is the same in another place, whatever stands beside it here.
        row.words = [];
      }
      at += block.length === 0 ? 1 : 0;
    }
  }
}
