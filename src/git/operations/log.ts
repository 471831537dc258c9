import { findChanges, type AffectedFile, type CommitChanges, type CommitStats } from "../log/affected-files.ts";
import { readCommitRecord, type CommitRecord } from "../log/commit-record.ts";
import type { CommitSelection } from "../log/commit-selection.ts";
import { listCommits } from "../log/list-commits.ts";
import type { Steps } from "../job/job.ts";
import type { OpenRepository } from "./open-repository.ts";
import { commitPosition } from "./commit-position.ts";

/** A selection of commits by hexadecimal oids of commits, or of tags that end at commits. */
export interface LogArgs extends Omit<CommitSelection, "tips" | "not"> {
  readonly tips: readonly string[];
  readonly not: readonly string[];
  readonly skip: number;
  readonly limit: number;
  /** also count all commits there are, which walks the whole history the first time */
  readonly count: boolean;
  /** also list what each commit changed */
  readonly files: boolean;
  /** also count the lines that each commit changed */
  readonly stats: boolean;
}

export interface LogCommit extends CommitRecord {
  /** null unless asked for */
  readonly files: readonly AffectedFile[] | null;
  /** whether there are more than `files` lists (`maxFiles` of them) */
  readonly filesTruncated: boolean;
  /** null unless asked for */
  readonly stats: CommitStats | null;
}

export interface LogResult {
  readonly commits: readonly LogCommit[];
  /** without `skip` and `limit`; null unless asked for */
  readonly total: number | null;
}

/** Files listed for one commit. */
const maxFiles = 3000;
/** UTF-16 code units of the names of files in one answer; when they are used up, the lists are truncated. */
const maxNames = 4 * 1024 * 1024;

/** Commits in the order of `git log`. Throws MissingObject, CorruptObject, CorruptPack. */
export function* log(repository: OpenRepository, args: LogArgs): Steps<LogResult> {
  const { positions, complete } = yield* select(repository, args);
  const commits: LogCommit[] = [];
  let names = 0;
  for (const position of positions.slice(args.skip, args.skip + args.limit)) {
    const commit = readCommitRecord(repository.odb, position);
    const changes = args.files || args.stats ? yield* changesOf(repository, commit, args.stats) : null;
    const files = (changes?.files ?? []).filter((file) => (names += file.filename.length) <= maxNames);
    const isTruncated = changes?.truncated === true || files.length < (changes?.files.length ?? 0);
    commits.push({
      ...commit,
      files: args.files ? files : null,
      filesTruncated: args.files && isTruncated,
      stats: args.stats ? (changes?.stats ?? null) : null,
    });
    yield;
  }
  return { commits, total: args.count && complete ? positions.length : null };
}

interface Selected {
  readonly positions: readonly number[];
  /** false when there may be more than were looked for */
  readonly complete: boolean;
}

function* select(repository: OpenRepository, args: LogArgs): Steps<Selected> {
  const { viewMemo } = repository;
  const key = `log ${keyOf(args)}`;
  const known = viewMemo.find<Selected>(key);
  const wanted = args.count ? Number.POSITIVE_INFINITY : args.skip + args.limit;
  if (known !== null && (known.complete || known.positions.length >= wanted)) {
    return known;
  }
  const selection: CommitSelection = {
    ...args,
    tips: args.tips.map((oid) => commitPosition(repository, oid)),
    not: args.not.map((oid) => commitPosition(repository, oid)),
  };
  const positions = yield* repository.once(`${key} ${wanted}`, () => listCommits(repository.graph, selection, wanted));
  const selected: Selected = { positions, complete: positions.length < wanted };
  viewMemo.keep(key, selected, positions.length * 8 + 64);
  return selected;
}

/** Says all that decides which commits are listed, and in which order. */
function keyOf({
  tips,
  not,
  paths,
  firstParent,
  follow,
  order,
  since,
  until,
  author,
  committer,
  message,
}: LogArgs): string {
  return JSON.stringify([tips, not, paths, firstParent, follow, order, since, until, author, committer, message]);
}

function* changesOf(repository: OpenRepository, commit: CommitRecord, stats: boolean): Steps<CommitChanges> {
  const { objectMemo } = repository;
  const key = `changes ${commit.oid}`;
  const known = objectMemo.find<CommitChanges>(key);
  if (known !== null && (known.stats !== null || !stats)) {
    return known;
  }
  const changes = yield* repository.once(`${key} ${stats}`, () =>
    findChanges(repository.odb, commit, { stats, maxFiles }),
  );
  objectMemo.keep(
    key,
    changes,
    changes.files.reduce((bytes, file) => bytes + 2 * file.filename.length + 64, 128),
  );
  return changes;
}
