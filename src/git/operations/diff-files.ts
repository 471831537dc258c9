import { AttributesOfPaths, flagOf } from "../attributes/attributes-of-paths.ts";
import { DiffTooCostly } from "../diff/diff-effort.ts";
import { isRegularFile, type FilePair, type FileSide, type FileStatus } from "../diff/file-pair.ts";
import { isGeneratedPath } from "../diff/generated-path.ts";
import type { Whitespace } from "../diff/ignore-whitespace.ts";
import { isBinary } from "../diff/line-counts.ts";
import { followLine } from "../diff/line-places.ts";
import { shownHunks, type DiffHunk, type ShownHunks } from "../diff/shown-hunks.ts";
import { contentOf, sizeOfSide } from "../diff/side-content.ts";
import { defaultTextDiff, diffTexts, type TextDiff } from "../diff/text-diff.ts";
import { bytesToHex } from "../objects/oid.ts";
import { rootTree } from "../tree/find-path.ts";
import type { Steps } from "../job/job.ts";
import { comparedPairs, pathOf, type ComparedTrees } from "./compare-files.ts";
import type { DiffLine } from "./line-hunks.ts";
import type { OpenRepository } from "./open-repository.ts";

export interface DiffFilesArgs extends Omit<ComparedTrees, "copies"> {
  /** which lines count as equal though they are not */
  readonly whitespace: Whitespace;
  /** unchanged lines around each change */
  readonly context: number;
  /** files that are passed over */
  readonly skip: number;
  /** one file alone, by its path; null: those from `skip` on */
  readonly only: {
    readonly path: string;
    /** further lines of the file that are shown, from 1, both ends included */
    readonly shown: readonly (readonly [from: number, to: number])[];
    /** lines of its hunks that are passed over */
    readonly skipLines: number;
  } | null;
  /** lines that are shown besides, such as those that somebody speaks of; null: none */
  readonly lines: readonly DiffLine[] | null;
  readonly maxFiles: number;
  /** lines of all files together; the first file is cut there, and another one that does not fit is left out */
  readonly maxLines: number;
}

export interface DiffedSide {
  readonly path: string;
  readonly mode: number;
  /** hexadecimal */
  readonly oid: string;
  /** bytes; 0 for a submodule */
  readonly size: number;
  /** 0 where the file has no text */
  readonly lines: number;
}

/** The change of one file. */
export interface DiffedFile {
  readonly status: FileStatus;
  /** null for an added file, and `after` for a removed one */
  readonly before: DiffedSide | null;
  readonly after: DiffedSide | null;
  /** of a renamed or copied file how much of it stayed, percent */
  readonly similarity: number | null;
  /** what the file is: only text has hunks. "costly": text that takes too long to compare, or is too large for it */
  readonly content: "text" | "binary" | "costly" | "submodule";
  readonly additions: number;
  readonly deletions: number;
  readonly hunks: readonly DiffHunk[];
  /** lines of its hunks that came, without those that were passed over */
  readonly shownLines: number;
  /** whether there are lines after these */
  readonly hasMore: boolean;
  /** whether long lines were cut */
  readonly hasCutLines: boolean;
  /**
   * whether .gitattributes (linguist-generated, linguist-vendored), else its path, says that people did not write it: it has hunks only
   * where it is asked for alone
   */
  readonly isGenerated: boolean;
}

export interface DiffFilesResult {
  /** in the order of `git diff` */
  readonly files: readonly DiffedFile[];
  /** of the first of them among all */
  readonly first: number;
  /** all files that differ */
  readonly total: number;
}

/** A line that is longer is cut: nobody reads it, and colours and words are not looked for in it. Bytes. */
const maxLineBytes = 5000;
/** Characters of all lines together. */
const maxCharacters = 1_000_000;
/** After so long no further file is begun, ms: what is shown is enough to read, and there is a next part. */
const maxMilliseconds = 2000;

/**
 * A part of a diff by files, hunks and lines, renames and copies found. The part ends where its bounds are reached; at least one file
 * is in it unless there is none. Throws MissingObject, CorruptObject, CorruptPack.
 */
export function* diffFiles(repository: OpenRepository, args: DiffFilesArgs): Steps<DiffFilesResult> {
  const { odb } = repository;
  const end = performance.now() + maxMilliseconds;
  const all = yield* comparedPairs(repository, { before: args.before, after: args.after, copies: "changed" });
  const { only } = args;
  const first = only === null ? args.skip : all.findIndex((pair) => pathOf(pair) === only.path);
  if (first < 0) {
    return { files: [], first: 0, total: all.length };
  }
  const files: DiffedFile[] = [];
  const attributes = new AttributesOfPaths(odb, rootTree(odb, args.after));
  let lines = args.maxLines;
  let characters = maxCharacters;
  for (const pair of all.slice(first, first + (only === null ? args.maxFiles : 1))) {
    if (files.length > 0 && (lines <= 0 || performance.now() > end)) {
      break;
    }
    const { file, shown } = yield* diffFile(repository, pair, args, { lines, characters }, attributes);
    if (file.hasMore && files.length > 0) {
      break;
    }
    lines -= shown?.lines ?? 0;
    characters -= shown?.characters ?? 0;
    files.push(file);
  }
  return { files, first, total: all.length };
}

function* diffFile(
  { odb }: OpenRepository,
  pair: FilePair,
  args: DiffFilesArgs,
  left: { lines: number; characters: number },
  attributes: AttributesOfPaths,
): Steps<{ file: DiffedFile; shown: ShownHunks | null }> {
  const { status, before, after, similarity } = pair;
  const isGenerated = isWrittenByProgram(attributes, pair);
  const text = textDiff(odb, pair, args.whitespace);
  yield;
  const diff = typeof text === "string" ? null : text;
  const shown =
    diff === null || (isGenerated && args.only === null)
      ? null
      : shownHunks(diff, {
          context: args.context,
          ignoreBlankLines: false,
          whitespace: args.whitespace,
          shown: [...(args.only?.shown ?? []), ...linesToShow(diff, pair, args)],
          skip: args.only?.skipLines ?? 0,
          maxLines: left.lines,
          maxCharacters: left.characters,
          maxLineBytes,
        });
  const side = (of: FileSide | null, lines: number): DiffedSide | null =>
    of === null
      ? null
      : {
          path: of.path,
          mode: of.mode,
          oid: bytesToHex(of.oid),
          size: isSubmodule(of) ? 0 : sizeOfSide(odb, of),
          lines,
        };
  const file: DiffedFile = {
    status,
    before: side(before, diff === null ? 0 : diff.before.starts.length - 1),
    after: side(after, diff === null ? 0 : diff.after.starts.length - 1),
    similarity,
    content: typeof text === "string" ? text : "text",
    additions: sum(diff, "added"),
    deletions: sum(diff, "removed"),
    hunks: shown?.hunks ?? [],
    shownLines: shown?.lines ?? 0,
    hasMore: shown?.hasMore ?? false,
    hasCutLines: shown?.hasCutLines ?? false,
    isGenerated,
  };
  return { file, shown };
}

/** Whether .gitattributes, else the path of a file, says that people did not write it. */
export function isWrittenByProgram(attributes: AttributesOfPaths, pair: FilePair): boolean {
  const path = pathOf(pair);
  const said = attributes.of(Buffer.from((pair.after ?? pair.before)!.rawPath ?? path).toString("latin1"));
  return flagOf(said, "linguist-generated") ?? flagOf(said, "linguist-vendored") ?? isGeneratedPath(path);
}

/** Lines of the second text that have to be shown, from 1. Those that the second text has not are in a hunk anyway. */
function linesToShow(
  diff: TextDiff,
  { before, after }: FilePair,
  { lines, context }: DiffFilesArgs,
): (readonly [from: number, to: number])[] {
  return (lines ?? []).flatMap(({ path, side, line, extraLines }) => {
    if ((side === "old" ? before : after)?.path !== path) {
      return [];
    }
    const last = side === "old" ? followLine(diff.changes, line) : line;
    return last === null ? [] : [[Math.max(1, last - extraLines - context), last] as const];
  });
}

/** The changed lines of a file, or what it is instead of a text. */
function textDiff(
  odb: OpenRepository["odb"],
  { before, after }: FilePair,
  whitespace: Whitespace,
): TextDiff | Exclude<DiffedFile["content"], "text"> {
  if ([before, after].some((side) => side !== null && isSubmodule(side))) {
    return "submodule";
  }
  const [old, now] = [contentOf(odb, before), contentOf(odb, after)];
  if (old === null || now === null) {
    return [before, after].some((side) => side !== null && !isRegularFile(side.mode)) ? "binary" : "costly";
  }
  if (isBinary(old) || isBinary(now)) {
    return "binary";
  }
  try {
    return diffTexts(old, now, { ...defaultTextDiff, whitespace });
  } catch (error) {
    if (error instanceof DiffTooCostly) {
      return "costly";
    }
    throw error;
  }
}

function isSubmodule({ mode }: FileSide): boolean {
  return (mode & 0o170000) === 0o160000;
}

function sum(diff: TextDiff | null, what: "added" | "removed"): number {
  return diff === null ? 0 : diff.changes.reduce((lines, change) => lines + change[what], 0);
}
