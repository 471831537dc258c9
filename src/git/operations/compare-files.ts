import { countLinesOf } from "../diff/change-stats.ts";
import { compareTrees } from "../diff/compare-trees.ts";
import type { RenameOptions } from "../diff/detect-renames.ts";
import type { FilePair, FileStatus } from "../diff/file-pair.ts";
import type { Whitespace } from "../diff/ignore-whitespace.ts";
import { hexToBytes } from "../objects/oid.ts";
import { rootTree } from "../tree/find-path.ts";
import type { Steps } from "../job/job.ts";
import type { OpenRepository } from "./open-repository.ts";

export interface CompareFilesArgs {
  /** hexadecimal oid of a commit or tree; null for nothing */
  readonly before: string | null;
  /** hexadecimal oid of a commit or tree */
  readonly after: string;
  /** which lines count as equal though they are not */
  readonly whitespace: Whitespace;
  /** the path from which on files are listed; null: all */
  readonly from: string | null;
  readonly skip: number;
  readonly limit: number;
}

/** The change of one file. A renamed or copied file has a former path. A renamed file is neither added nor removed. */
export interface ComparedFile {
  readonly status: FileStatus;
  readonly path: string;
  /** null unless it was renamed or copied */
  readonly formerPath: string | null;
  /** lines; none of a binary file */
  readonly additions: number;
  readonly deletions: number;
  readonly binary: boolean;
  /** whether the contents differ, whatever counts as equal */
  readonly sameContent: boolean;
}

export interface CompareFilesResult {
  /** in the order of `git diff` */
  readonly files: readonly ComparedFile[];
  /** from `from` on, without `skip` and `limit`; null: there is no such path among them */
  readonly total: number | null;
}

/** Files of one comparison: what is beyond is left out. */
const maxFiles = 20_000;
/** How long renamed files are looked for. */
const renameMilliseconds = 15_000;

/**
 * A page of the files that changed from one tree to another, with their lines, as `git diff --numstat` counts them; lines
 * are counted for the page alone. Throws MissingObject, CorruptObject, CorruptPack.
 */
export function* compareFiles(repository: OpenRepository, args: CompareFilesArgs): Steps<CompareFilesResult> {
  const { odb } = repository;
  const all = yield* comparedPairs(repository, { ...args, copies: "none" });
  const start = args.from === null ? 0 : all.findIndex((pair) => pathOf(pair) === args.from);
  if (start < 0) {
    return { files: [], total: null };
  }
  const files: ComparedFile[] = [];
  for (const pair of all.slice(start + args.skip, start + args.skip + args.limit)) {
    const { status, before, after } = pair;
    const sameContent = before !== null && after !== null && Buffer.compare(before.oid, after.oid) === 0;
    const counts = sameContent
      ? { additions: 0, deletions: 0, binary: false }
      : countLinesOf(odb, pair, args.whitespace);
    const formerPath = status === "renamed" || status === "copied" ? before!.path : null;
    files.push({ status, path: pathOf(pair), formerPath, ...counts, sameContent });
    yield;
  }
  return { files, total: all.length - start };
}

export interface ComparedTrees {
  /** hexadecimal oid of a commit or tree; null for nothing */
  readonly before: string | null;
  /** hexadecimal oid of a commit or tree */
  readonly after: string;
  readonly copies: RenameOptions["copies"];
}

/** The files that differ between two trees, in the order of `git diff`. Throws MissingObject, CorruptObject, CorruptPack. */
export function* comparedPairs(repository: OpenRepository, args: ComparedTrees): Steps<readonly FilePair[]> {
  const { odb, objectMemo } = repository;
  const key = `pairs ${args.copies} ${args.before} ${args.after}`;
  const known = objectMemo.find<readonly FilePair[]>(key);
  if (known !== null) {
    return known;
  }
  const { pairs } = yield* repository.once(key, () => {
    const [before, after] = [args.before, args.after].map((treeish) =>
      treeish === null ? null : hexToBytes(rootTree(odb, treeish)),
    );
    const renames = { copies: args.copies, until: performance.now() + renameMilliseconds } as const;
    return compareTrees(odb, before!, after!, { renames, maxFiles });
  });
  objectMemo.keep(
    key,
    pairs,
    pairs.reduce((bytes, pair) => bytes + 400 + 4 * pathOf(pair).length, 64),
  );
  return pairs;
}

/** The path of a pair: the later one of two. */
export function pathOf({ before, after }: FilePair): string {
  return (after ?? before)!.path;
}
