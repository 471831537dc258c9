import { compareTrees } from "../diff/compare-trees.ts";
import { DiffTooCostly } from "../diff/diff-effort.ts";
import type { FilePair } from "../diff/file-pair.ts";
import { isBinary } from "../diff/line-counts.ts";
import { hunkUpTo, type DiffSide } from "../diff/line-places.ts";
import { contentOf } from "../diff/side-content.ts";
import { diffTexts, type TextDiff } from "../diff/text-diff.ts";
import type { Steps } from "../job/job.ts";
import { hexToBytes } from "../objects/oid.ts";
import type { ObjectDatabase } from "../odb/object-database.ts";
import { rootTree } from "../tree/find-path.ts";
import type { OpenRepository } from "./open-repository.ts";

export interface LineHunksArgs {
  /** hexadecimal oid of a commit or tree; null: nothing */
  readonly before: string | null;
  /** hexadecimal oid of a commit or tree */
  readonly after: string;
  readonly lines: readonly DiffLine[];
  /** also lines of the changed files that the diff does not show */
  readonly anywhere: boolean;
}

/** A line of one side of a diff, from 1, with so many lines before it. A renamed file has a path on each side. */
export interface DiffLine {
  readonly path: string;
  readonly side: DiffSide;
  readonly line: number;
  readonly extraLines: number;
}

/** The result for a line: the hunk up to it, or the part that the diff does not have. */
export type LineHunk = { readonly hunk: string } | { readonly missing: "file" | "line" };

/** Files after this many are not in what people review. */
const maxFiles = 20_000;
/** How long renames are looked for, ms. */
const renameMs = 3000;

/**
 * The hunks of `git diff` that have these lines, each up to its last line. A binary file, and one that is too large to be compared,
 * has no lines. Throws MissingObject, CorruptObject, CorruptPack.
 */
export function* lineHunks({ odb }: OpenRepository, args: LineHunksArgs): Steps<readonly LineHunk[]> {
  const pairs = yield* changedPairs(odb, args.before, args.after);
  const diffs = new Map<FilePair, TextDiff | null>();
  const found: LineHunk[] = [];
  for (const { path, side, line, extraLines: extra } of args.lines) {
    const pair = pairs.find((one) => (side === "old" ? one.before : one.after)?.path === path);
    if (pair === undefined) {
      found.push({ missing: "file" });
      continue;
    }
    const diff = diffs.get(pair) ?? textDiffOf(odb, pair);
    diffs.set(pair, diff);
    const hunk = diff === null ? null : hunkUpTo(diff, { side, line, extra, anywhere: args.anywhere });
    found.push(hunk === null ? { missing: "line" } : { hunk });
    yield;
  }
  return found;
}

/** Finds the changed files between two trees, renames included. Throws MissingObject, CorruptObject, CorruptPack. */
export function* changedPairs(odb: ObjectDatabase, before: string | null, after: string): Steps<readonly FilePair[]> {
  const trees = [before, after].map((treeish) => (treeish === null ? null : hexToBytes(rootTree(odb, treeish))));
  const renames = { copies: "none", until: performance.now() + renameMs } as const;
  const { pairs } = yield* compareTrees(odb, trees[0]!, trees[1]!, { renames, maxFiles });
  return pairs;
}

/** Returns the line diff of one file; null for a file without lines. Throws MissingObject, CorruptPack. */
export function textDiffOf(odb: ObjectDatabase, { before, after }: FilePair): TextDiff | null {
  const [old, now] = [contentOf(odb, before), contentOf(odb, after)];
  if (old === null || now === null || isBinary(old) || isBinary(now)) {
    return null;
  }
  try {
    return diffTexts(old, now);
  } catch (error) {
    if (error instanceof DiffTooCostly) {
      return null;
    }
    throw error;
  }
}
