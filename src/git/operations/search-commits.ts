import { readCommitRecord, type CommitRecord } from "../log/commit-record.ts";
import { CommitSearch, type CommitWords } from "../log/commit-search.ts";
import { listCommits } from "../log/list-commits.ts";
import type { Steps } from "../job/job.ts";
import { commitPosition } from "./commit-position.ts";
import type { OpenRepository } from "./open-repository.ts";

export interface SearchCommitsArgs extends CommitWords {
  /** hexadecimal oid of the commit to start from */
  readonly tip: string;
  /** only commits that change one of these paths; empty for all */
  readonly paths: readonly string[];
  /** committer dates, in seconds */
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  readonly skip: number;
  readonly limit: number;
  /** of this thread's time; the next search of the same goes on where this one ended */
  readonly milliseconds: number;
}

export interface SearchCommitsResult {
  readonly commits: readonly CommitRecord[];
  /** whether more were found after those */
  readonly hasMore: boolean;
  /** how many of the commits of this period and path were looked at */
  readonly looked: number;
  readonly of: number;
}

interface Progress {
  readonly found: readonly number[];
  readonly looked: number;
}

/** The commits that match, in the order of `git log`, as far as the time lets it look. Throws MissingObject, CorruptObject, CorruptPack. */
export function* searchCommits(repository: OpenRepository, args: SearchCommitsArgs): Steps<SearchCommitsResult> {
  const { graph, odb, viewMemo } = repository;
  const { tip, paths, since, until, skip, limit, milliseconds, ...words } = args;
  const listKey = `searched ${JSON.stringify([tip, paths, since, until])}`;
  let positions = viewMemo.find<number[]>(listKey);
  if (positions === null) {
    const dates = { ...(since === undefined ? {} : { since }), ...(until === undefined ? {} : { until }) };
    const selection = { tips: [commitPosition(repository, tip)], not: [], paths, ...dates };
    positions = yield* repository.once(listKey, () => listCommits(graph, selection));
    viewMemo.keep(listKey, positions, positions.length * 8 + 64);
  }
  const key = `${listKey} ${JSON.stringify(words)}`;
  const before = viewMemo.find<Progress>(key) ?? { found: [], looked: 0 };
  const found = [...before.found];
  let { looked } = before;
  const search = new CommitSearch(graph, words);
  let spent = 0;
  for (; looked < positions.length && found.length <= skip + limit && spent < milliseconds; looked++) {
    const position = positions[looked]!;
    const work = search.matches(position);
    for (;;) {
      const began = performance.now();
      const step = work.next();
      spent += performance.now() - began;
      if (step.done === true) {
        if (step.value) {
          found.push(position);
        }
        break;
      }
      yield;
    }
    if ((looked & 0x1f) === 0) {
      yield;
    }
  }
  viewMemo.keep(key, { found, looked } satisfies Progress, found.length * 8 + 64);
  return {
    commits: found.slice(skip, skip + limit).map((position) => readCommitRecord(odb, position)),
    hasMore: found.length > skip + limit,
    looked,
    of: positions.length,
  };
}
