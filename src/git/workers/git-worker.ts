import { limitShownText } from "../log/shown-text.ts";
import { IdleWatch } from "../../lib/idle-watch.ts";
import { StithyError } from "../../lib/errors.ts";
import { isGenerator, type Answer, type ByteSteps, type Job } from "../job/job.ts";
import type { Operations, Streams } from "../operations/operations.ts";
import { aheadBehind } from "../operations/ahead-behind.ts";
import { archive } from "../operations/archive.ts";
import { blame } from "../operations/blame.ts";
import { changedFiles } from "../operations/changed-files.ts";
import { changesOfPatch } from "../operations/changes-of-patch.ts";
import { commitDates } from "../operations/commit-dates.ts";
import { commitsToPick } from "../operations/commits-to-pick.ts";
import { compareFiles } from "../operations/compare-files.ts";
import { contributions } from "../operations/contributions.ts";
import { drawHistory } from "../operations/draw-history.ts";
import { diffContents } from "../operations/diff-contents.ts";
import { containingTips } from "../operations/containing-tips.ts";
import { diffFiles } from "../operations/diff-files.ts";
import { fetchPack } from "../operations/fetch-pack.ts";
import { findNote } from "../operations/find-note.ts";
import { formatPatch } from "../operations/format-patch.ts";
import { followLines } from "../operations/follow-lines.ts";
import { grep } from "../operations/grep.ts";
import { isAncestor } from "../operations/is-ancestor.ts";
import { isReachable } from "../operations/is-reachable.ts";
import { lastCommits } from "../operations/last-commits.ts";
import { lineHunks } from "../operations/line-hunks.ts";
import { listDiffed } from "../operations/list-diffed.ts";
import { listPaths } from "../operations/list-paths.ts";
import { listTree } from "../operations/list-tree.ts";
import { log } from "../operations/log.ts";
import { mergeBases } from "../operations/merge-bases.ts";
import { mergeTexts } from "../operations/merge-texts.ts";
import { mergeTrees } from "../operations/merge-trees.ts";
import { negotiate } from "../operations/negotiate.ts";
import { patch } from "../operations/patch.ts";
import { previewMerge } from "../operations/preview-merge.ts";
import { objectSizes } from "../operations/object-sizes.ts";
import { rangeDiff } from "../operations/range-diff.ts";
import { readBlob } from "../operations/read-blob.ts";
import { pushedCommits } from "../operations/pushed-commits.ts";
import { referringCommits } from "../operations/referring-commits.ts";
import { readConflicts } from "../operations/read-conflicts.ts";
import { readCommits } from "../operations/read-commits.ts";
import { readObject } from "../operations/read-object.ts";
import { readPath } from "../operations/read-path.ts";
import { readTag } from "../operations/read-tag.ts";
import { resolveObject } from "../operations/resolve-object.ts";
import { sameChanges } from "../operations/same-changes.ts";
import { searchCommits } from "../operations/search-commits.ts";
import type { OpenRepository } from "../operations/open-repository.ts";
import type { Request } from "./protocol.ts";
import { RepositoryCache, type RepositoryLease } from "./repository-cache.ts";
import { serveWorker } from "./serve-worker.ts";

type OperationHandlers = {
  readonly [Name in keyof Operations]: (
    repository: OpenRepository,
    args: Operations[Name]["args"],
  ) => Answer<Operations[Name]["result"]>;
};

type StreamHandlers = {
  readonly [Name in keyof Streams]: (repository: OpenRepository, args: Streams[Name]["args"], job: Job) => ByteSteps;
};

const operations: OperationHandlers = {
  aheadBehind,
  blame,
  changedFiles,
  changesOfPatch,
  commitDates,
  commitsToPick,
  compareFiles,
  contributions,
  drawHistory,
  diffContents,
  containingTips,
  diffFiles,
  findNote,
  followLines,
  grep,
  isAncestor,
  isReachable,
  lastCommits,
  lineHunks,
  listDiffed,
  listPaths,
  listTree,
  log,
  mergeBases,
  mergeTexts,
  mergeTrees,
  negotiate,
  objectSizes,
  previewMerge,
  pushedCommits,
  rangeDiff,
  referringCommits,
  readConflicts,
  readCommits,
  readObject,
  readPath,
  readTag,
  resolveObject,
  sameChanges,
  searchCommits,
};
const streams: StreamHandlers = { archive, fetchPack, formatPatch, patch, readBlob };

let repositories: RepositoryCache | null = null;

/** After so long without a request, memory is given back. Objects are read again in microseconds each. */
const idleMs = 20_000;
const rest = new IdleWatch(idleMs, () => repositories?.clear());

serveWorker({
  setup: ({ cacheBytes, shownBytes }) => {
    limitShownText(shownBytes);
    repositories = new RepositoryCache(cacheBytes);
  },
  call: (request, job) => {
    const handler = handlerOf<Answer<unknown>>(operations, request.name);
    const lease = acquire(request);
    let answer: Answer<unknown>;
    try {
      answer = handler(lease.repository, request.args, job);
    } catch (error) {
      lease[Symbol.dispose]();
      throw error;
    }
    if (isGenerator(answer)) {
      return held(lease, answer);
    }
    lease[Symbol.dispose]();
    return answer;
  },
  stream: (request, job) => {
    const handler = handlerOf<ByteSteps>(streams, request.name);
    const lease = acquire(request);
    return held(lease, handler(lease.repository, request.args, job));
  },
  close: () => repositories?.[Symbol.dispose](),
});

function acquire(request: Request): RepositoryLease {
  if (repositories === null) {
    throw new StithyError("fault", "engine-not-set-up", "The git worker has not been set up");
  }
  rest.note();
  return repositories.acquire(request.view);
}

/** Only the compiler on the other side of the channel knows the types for a name. */
function handlerOf<Result>(
  handlers: object,
  name: string,
): (repository: OpenRepository, args: unknown, job: Job) => Result {
  const handler: unknown = Object.hasOwn(handlers, name) ? Reflect.get(handlers, name) : null;
  if (typeof handler !== "function") {
    throw new StithyError("fault", "engine-unknown-operation", `The git worker knows no operation "${name}"`, { name });
  }
  return handler as (repository: OpenRepository, args: unknown, job: Job) => Result;
}

/** Work that holds its repository open until it ends, also when it is ended early. */
function* held<Item, Result>(lease: RepositoryLease, work: Generator<Item, Result>): Generator<Item, Result> {
  try {
    return yield* work;
  } finally {
    lease[Symbol.dispose]();
  }
}
