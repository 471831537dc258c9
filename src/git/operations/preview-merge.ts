import { countLinesOf } from "../diff/change-stats.ts";
import { compareTrees } from "../diff/compare-trees.ts";
import { countAheadBehind } from "../graph/ahead-behind.ts";
import { findMergeBases } from "../graph/merge-bases.ts";
import type { Steps } from "../job/job.ts";
import { mergeCommits } from "../merge/merge-commits.ts";
import { ObjectOverlay } from "../merge/object-overlay.ts";
import { hexToBytes } from "../objects/oid.ts";
import { rootTree } from "../tree/find-path.ts";
import { commitPosition } from "./commit-position.ts";
import type { OpenRepository } from "./open-repository.ts";

export interface PreviewMergeArgs {
  /** hexadecimal oids of commits */
  readonly base: string;
  readonly head: string;
  /** conflicts beyond so many are left out */
  readonly maxConflicts: number;
}

/** The difference between two branches, and whether the head can be merged into the base. */
export interface MergePreview {
  /** the latest common ancestor; null when the histories have nothing in common: then all else is 0 and empty */
  readonly mergeBase: string | null;
  /** commits that the head reaches and the base does not, and the other way round */
  readonly ahead: number;
  readonly behind: number;
  /** of `git diff base...head`, renames found */
  readonly files: number;
  readonly additions: number;
  readonly deletions: number;
  /** paths that cannot be merged, sorted */
  readonly conflicts: readonly string[];
  readonly clean: boolean;
  /** the merge leaves the tree of the base as it is */
  readonly empty: boolean;
}

/** More changed files are not compared: they count with no lines. */
const maxFiles = 20_000;
/** Lines of the files that are reached after this time are not counted. */
const maxMilliseconds = 20_000;

/** Memory that the counts of one pull request take, about. */
const countsBytes = 100;

const labels = { ours: "base", theirs: "head" };

/** Merges two commits without writing anything, and counts what is between them. Throws MissingObject, CorruptObject, CorruptPack, DiffTooCostly. */
export function* previewMerge(repository: OpenRepository, args: PreviewMergeArgs): Steps<MergePreview> {
  const { odb, generations } = repository;
  const base = commitPosition(repository, args.base);
  const head = commitPosition(repository, args.head);
  const [found] = yield* findMergeBases(generations, base, [head]);
  if (found === undefined) {
    const none = { ahead: 0, behind: 0, files: 0, additions: 0, deletions: 0, conflicts: [], clean: false };
    return { mergeBase: null, ...none, empty: false };
  }
  const mergeBase = odb.hexAt(found);
  const [counts] = yield* countAheadBehind(generations, [{ base, tip: head }]);
  const merged = yield* mergeCommits(new ObjectOverlay(odb), generations, base, head, labels);
  const changes = yield* countChanges(repository, mergeBase, args.head);
  return {
    mergeBase,
    ahead: counts?.ahead ?? 0,
    behind: counts?.behind ?? 0,
    ...changes,
    conflicts: merged.conflicts.slice(0, args.maxConflicts).map(({ path }) => path),
    clean: merged.clean,
    empty: merged.clean && merged.tree === rootTree(odb, args.base),
  };
}

/** The counts of `git diff --shortstat`. */
interface ChangeCounts {
  readonly files: number;
  readonly additions: number;
  readonly deletions: number;
}

/** The changes of a head since the merge base stay the same while its base moves on, so they are kept. */
function* countChanges(repository: OpenRepository, from: string, to: string): Steps<ChangeCounts> {
  const { odb, objectMemo } = repository;
  const key = `changes ${from} ${to}`;
  const known = objectMemo.find<ChangeCounts>(key);
  if (known !== null) {
    return known;
  }
  const until = performance.now() + maxMilliseconds;
  const [before, after] = [from, to].map((oid) => hexToBytes(rootTree(odb, oid)));
  const renames = { copies: "none", until } as const;
  const { pairs } = yield* compareTrees(odb, before!, after!, { renames, maxFiles });
  let additions = 0;
  let deletions = 0;
  for (const pair of pairs) {
    if (performance.now() > until) {
      break;
    }
    const lines = countLinesOf(odb, pair);
    additions += lines.additions;
    deletions += lines.deletions;
    yield;
  }
  const counts = { files: pairs.length, additions, deletions };
  if (performance.now() <= until) {
    objectMemo.keep(key, counts, countsBytes);
  }
  return counts;
}
