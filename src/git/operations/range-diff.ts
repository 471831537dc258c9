import { DiffTooCostly } from "../diff/diff-effort.ts";
import { shownHunks, type DiffHunk } from "../diff/shown-hunks.ts";
import { diffTexts } from "../diff/text-diff.ts";
import type { CommitGraph } from "../graph/commit-graph.ts";
import type { Steps } from "../job/job.ts";
import { readCommitRecord, type CommitRecord } from "../log/commit-record.ts";
import { listCommits } from "../log/list-commits.ts";
import { pairPatches } from "../range-diff/pair-patches.ts";
import { patchOfCommit, type CommitPatch } from "../range-diff/patch-of-commit.ts";
import { commitPosition } from "./commit-position.ts";
import type { OpenRepository } from "./open-repository.ts";

export interface RangeDiffArgs {
  /** hexadecimal oids: the tips of the two series of commits */
  readonly before: string;
  readonly after: string;
  /** commits that are left out of both with all that they reach */
  readonly not: readonly string[];
  /** commits of one series beyond which none are paired */
  readonly maxCommits: number;
  /** bytes of all patches together beyond which none are paired */
  readonly maxBytes: number;
  /** lines of differences that are returned */
  readonly maxLines: number;
}

/** A commit of one series and its counterpart in the other. One of the two may be null. */
export interface RangePair {
  readonly before: CommitRecord | null;
  readonly after: CommitRecord | null;
  /** Whether author, message and changes are the same. */
  readonly isSame: boolean;
  /** How the patch of the one differs from that of the other. */
  readonly hunks: readonly DiffHunk[];
  /** Whether lines of the difference are left out. */
  readonly isCut: boolean;
}

/** The pairs in the order of git; null: there is more than is compared. */
export type RangeDiffResult = readonly RangePair[] | null;

const mostListed = 2000;
const maxCharacters = 1_000_000;
const maxLineBytes = 5000;
/** Bytes of patches that are compared with each other, each pair counted: a second or two. */
const mostCompared = 64 * 1024 * 1024;

interface Entry {
  readonly commit: CommitRecord;
  readonly patch: CommitPatch;
}

/**
 * Compares two versions of a series of commits as git-range-diff(1) does: commits in pairs, each with the difference of their patches. Merges are
 * left out, and notes. Throws MissingObject, CorruptObject, CorruptPack.
 */
export function* rangeDiff(repository: OpenRepository, args: RangeDiffArgs): Steps<RangeDiffResult> {
  const before = yield* readSeries(repository, args.before, args);
  const after = before === null ? null : yield* readSeries(repository, args.after, args);
  if (before === null || after === null || isTooMuch(before, after)) {
    return null;
  }
  const counterparts = yield* pairPatches(
    before.map(({ patch }) => patch),
    after.map(({ patch }) => patch),
  );
  let lines = args.maxLines;
  const pairs: RangePair[] = [];
  for (const [old, now] of inGitOrder(before, after, counterparts)) {
    const shown = old === null || now === null ? null : difference(old.patch.text, now.patch.text, lines);
    lines -= shown?.lines ?? 0;
    pairs.push({
      before: old?.commit ?? null,
      after: now?.commit ?? null,
      isSame: old?.patch.text === now?.patch.text,
      hunks: shown?.hunks ?? [],
      isCut: shown?.hasMore ?? false,
    });
    yield;
  }
  return pairs;
}

/** The commits of a series with their patches, the oldest first; null: there are too many. */
function* readSeries(
  repository: OpenRepository,
  tip: string,
  { not, maxCommits, maxBytes }: RangeDiffArgs,
): Steps<Entry[] | null> {
  const { graph, odb } = repository;
  const selection = {
    tips: [commitPosition(repository, tip)],
    not: not.map((oid) => commitPosition(repository, oid)),
    paths: [],
  };
  const listed = yield* listCommits(graph, selection, mostListed);
  const positions = byDate(graph, listed).filter((position) => graph.parentCount(position) < 2);
  if (listed.length === mostListed || positions.length > maxCommits) {
    return null;
  }
  const entries: Entry[] = [];
  let left = maxBytes;
  for (const position of positions.toReversed()) {
    const commit = readCommitRecord(odb, position, "whole");
    const patch = yield* patchOfCommit(odb, commit, left);
    if (patch === null) {
      return null;
    }
    left -= patch.text.length;
    entries.push({ commit, patch });
  }
  return entries;
}

/** Commits as `git log --date-order` lists them: the latest first, but none before all of its children. */
function byDate(graph: CommitGraph, listed: readonly number[]): number[] {
  const children = new Map(listed.map((position) => [position, 0]));
  const parentsOf = (position: number): number[] =>
    Array.from({ length: graph.parentCount(position) }, (_, index) => graph.parentAt(position, index)).filter((one) =>
      children.has(one),
    );
  for (const parent of listed.flatMap(parentsOf)) {
    children.set(parent, (children.get(parent) ?? 0) + 1);
  }
  const ready = listed.filter((position) => children.get(position) === 0);
  const ordered: number[] = [];
  while (ready.length > 0) {
    const latest = ready.reduce((best, position) => (graph.dateOf(position) > graph.dateOf(best) ? position : best));
    ready.splice(ready.indexOf(latest), 1);
    ordered.push(latest);
    for (const parent of parentsOf(latest)) {
      const left = (children.get(parent) ?? 0) - 1;
      children.set(parent, left);
      if (left === 0) {
        ready.push(parent);
      }
    }
  }
  return ordered;
}

/** Whether so many patches would have to be compared with each other that it takes too long. */
function isTooMuch(before: readonly Entry[], after: readonly Entry[]): boolean {
  const [old, now] = [changesIn(before), changesIn(after)];
  const [gone, added] = [old.difference(now), now.difference(old)];
  return bytesOf(gone) * added.size + bytesOf(added) * gone.size > mostCompared;
}

const changesIn = (entries: readonly Entry[]): Set<string> => new Set(entries.map(({ patch }) => patch.changes));
const bytesOf = (texts: ReadonlySet<string>): number => [...texts].reduce((sum, text) => sum + text.length, 0);

/** The newer series decides the order. One that is only in the older series stands behind those that it came after. */
function inGitOrder(
  before: readonly Entry[],
  after: readonly Entry[],
  counterparts: readonly (number | null)[],
): [Entry | null, Entry | null][] {
  const paired = new Set(counterparts);
  const shown = new Set<number>();
  const rows: [Entry | null, Entry | null][] = [];
  let next = 0;
  const showLeft = () => {
    for (; next < before.length && (shown.has(next) || !paired.has(next)); next++) {
      if (!shown.has(next)) {
        rows.push([before[next]!, null]);
      }
    }
  };
  for (const [at, entry] of after.entries()) {
    const counterpart = counterparts[at] ?? null;
    showLeft();
    rows.push([counterpart === null ? null : before[counterpart]!, entry]);
    if (counterpart !== null) {
      shown.add(counterpart);
    }
  }
  showLeft();
  return rows;
}

function difference(before: string, after: string, maxLines: number) {
  if (before === after) {
    return null;
  }
  try {
    const bytes = [Buffer.from(before, "latin1"), Buffer.from(after, "latin1")] as const;
    const selection = { context: 3, ignoreBlankLines: false, whitespace: "significant", shown: [], skip: 0 } as const;
    const shown = shownHunks(diffTexts(...bytes), { ...selection, maxLines, maxCharacters, maxLineBytes });
    const lines = before.split("\n");
    const hunks = shown.hunks.map(({ before: line, after: other, lines: own }) => {
      return { before: line, after: other, heading: headingAt(lines, line), lines: own };
    });
    return { hunks, lines: shown.lines, hasMore: shown.hasMore };
  } catch (error) {
    if (error instanceof DiffTooCostly) {
      return { hunks: [], lines: 0, hasMore: true };
    }
    throw error;
  }
}

/** The part, the file or the hunk of a patch that a line is in; the line is counted from 1. */
function headingAt(lines: readonly string[], line: number): string {
  for (let at = line - 2; at >= 0; at--) {
    const [, part, hunk] = /^ ## (.*) ##$|^.?@@ (.*)$/.exec(lines[at] ?? "") ?? [];
    const found = part ?? hunk;
    if (found !== undefined) {
      return Buffer.from(found, "latin1").subarray(0, 80).toString().trimEnd();
    }
  }
  return "";
}
