export type Range = readonly [from: number, to: number];

export interface WordDiff {
  /** of the old line, in UTF-16 code units */
  readonly removed: readonly Range[];
  readonly added: readonly Range[];
}

const word = /[\p{L}\p{N}_]+|\s+|[^]/gu;
/** Words on each side that are compared; where more differ, all of them count as changed. */
const mostWords = 64;
/** Two lines that share a smaller part of their characters, the indentation aside, are two lines, and not one that was changed. */
const leastCommon = 0.5;

const none: WordDiff = { removed: [], added: [] };

/**
 * The words that differ between a line and what it became; nothing where the two have little in common. Words at both ends that are
 * equal are cut, and of what is left the longest common subsequence stays.
 */
export function diffWords(before: string, after: string): WordDiff {
  const old = before.match(word) ?? [];
  const now = after.match(word) ?? [];
  const shorter = Math.min(old.length, now.length);
  let head = 0;
  while (head < shorter && old[head] === now[head]) {
    head++;
  }
  let tail = 0;
  while (tail < shorter - head && old[old.length - 1 - tail] === now[now.length - 1 - tail]) {
    tail++;
  }
  const [oldEnd, nowEnd] = [old.length - tail, now.length - tail];
  const [oldKept, nowKept] = commonWords(old.slice(head, oldEnd), now.slice(head, nowEnd));
  const removed = rangesOf(old, head, oldEnd, oldKept);
  const added = rangesOf(now, head, nowEnd, nowKept);
  const length = before.trimStart().length + after.trimStart().length;
  const common = Math.min(length, before.length + after.length - lengthOf(removed) - lengthOf(added));
  return common < leastCommon * length ? none : { removed, added };
}

function lengthOf(ranges: readonly Range[]): number {
  return ranges.reduce((sum, [from, to]) => sum + to - from, 0);
}

/** Which words of both are in their longest common subsequence. */
function commonWords(old: readonly string[], now: readonly string[]): [old: Set<number>, now: Set<number>] {
  const kept: [Set<number>, Set<number>] = [new Set(), new Set()];
  if (old.length === 0 || now.length === 0 || old.length > mostWords || now.length > mostWords) {
    return kept;
  }
  const width = now.length + 1;
  const lengths = new Uint8Array((old.length + 1) * width);
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = now.length - 1; j >= 0; j--) {
      lengths[i * width + j] =
        old[i] === now[j]
          ? lengths[(i + 1) * width + j + 1]! + 1
          : Math.max(lengths[(i + 1) * width + j]!, lengths[i * width + j + 1]!);
    }
  }
  for (let i = 0, j = 0; i < old.length && j < now.length;) {
    if (old[i] === now[j]) {
      kept[0].add(i++);
      kept[1].add(j++);
    } else if (lengths[(i + 1) * width + j]! >= lengths[i * width + j + 1]!) {
      i++;
    } else {
      j++;
    }
  }
  return kept;
}

/** The places of words from `start` to `end` that are not kept. Two with nothing but spaces between them are one. */
function rangesOf(words: readonly string[], start: number, end: number, kept: ReadonlySet<number>): Range[] {
  const ranges: [number, number][] = [];
  const line = words.join("");
  let at = 0;
  for (const [index, { length }] of words.slice(0, end).entries()) {
    if (index >= start && !kept.has(index - start)) {
      const last = ranges.at(-1);
      if (last !== undefined && line.slice(last[1], at).trim() === "") {
        last[1] = at + length;
      } else {
        ranges.push([at, at + length]);
      }
    }
    at += length;
  }
  return ranges;
}
