import { DiffTooCostly } from "../diff/diff-effort.ts";
import { groupChanges } from "../diff/hunk-groups.ts";
import { diffTexts } from "../diff/text-diff.ts";
import type { Steps } from "../job/job.ts";
import { assign } from "./assign.ts";
import type { CommitPatch } from "./patch-of-commit.ts";

/** What stands for a pair that must not be. */
const forbidden = 1 << 16;
/** What it costs that a commit has no counterpart, percent of its size: the creation factor of git-range-diff(1). */
const creationFactor = 60;
const context = 3;

/**
 * Pairs the commits of two series as git-range-diff(1) does: those that make the same change, then those whose changes differ least. Returns for
 * each of the second series the place of its counterpart in the first, or null.
 */
export function* pairPatches(
  before: readonly CommitPatch[],
  after: readonly CommitPatch[],
): Steps<readonly (number | null)[]> {
  const exact = pairExactly(before, after);
  const taken = new Set(exact);
  const size = before.length + after.length;
  const costs = new Int32Array(size * size);
  for (const [row, theirs] of after.entries()) {
    const counterpart = exact[row] ?? null;
    for (const [column, ours] of before.entries()) {
      const isOpen = counterpart === null && !taken.has(column);
      costs[row * size + column] =
        counterpart === column ? 0 : isOpen ? differenceOf(ours.changes, theirs.changes) : forbidden;
      yield;
    }
    costs.fill(counterpart === null ? costAlone(theirs) : forbidden, row * size + before.length, (row + 1) * size);
  }
  for (let row = after.length; row < size; row++) {
    for (const [column, ours] of before.entries()) {
      costs[row * size + column] = taken.has(column) ? forbidden : costAlone(ours);
    }
  }
  const rowOf = assign(size, costs);
  const pairs: (number | null)[] = [...exact];
  for (let column = 0; column < before.length; column++) {
    const row = rowOf[column]!;
    if (row >= 0 && row < after.length) {
      pairs[row] = column;
    }
  }
  return pairs;
}

const costAlone = ({ size }: CommitPatch): number => Math.trunc((size * creationFactor) / 100);

/** Those of the same changes. Of several that are alike, the last one comes first. */
function pairExactly(before: readonly CommitPatch[], after: readonly CommitPatch[]): (number | null)[] {
  const byChanges = new Map<string, number[]>();
  for (const [at, { changes }] of before.entries()) {
    const alike = byChanges.get(changes);
    if (alike === undefined) {
      byChanges.set(changes, [at]);
    } else {
      alike.push(at);
    }
  }
  return after.map(({ changes }) => byChanges.get(changes)?.pop() ?? null);
}

/** The lines of the difference of two texts, and its hunks: what git counts. */
function differenceOf(before: string, after: string): number {
  try {
    const diff = diffTexts(Buffer.from(before, "latin1"), Buffer.from(after, "latin1"), {
      algorithm: "myers",
      whitespace: "significant",
      indentHeuristic: false,
    });
    const lines = diff.before.starts.length - 1;
    const groups = groupChanges(diff, { context, ignoreBlankLines: false, whitespace: "significant" });
    return groups.reduce((sum, group) => {
      const [first, last] = [group[0]!, group.at(-1)!];
      const from = Math.max(0, first.before - context);
      const to = Math.min(lines, last.before + last.removed + context);
      return sum + 1 + (to - from) + group.reduce((added, change) => added + change.added, 0);
    }, 0);
  } catch (error) {
    if (error instanceof DiffTooCostly) {
      return forbidden;
    }
    throw error;
  }
}
