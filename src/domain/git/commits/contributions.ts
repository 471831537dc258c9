import type { GitEngine } from "../../../git/engine.ts";
import type { ContributionsResult } from "../../../git/operations/contributions.ts";
import { ByteCache } from "../../../lib/byte-cache.ts";
import { JoinedWork } from "../../../lib/joined-work.ts";
import { currentPrincipal } from "../../../lib/request-context.ts";
import type { Revision } from "../refs/revisions.ts";

/** Commits that are counted at most, and a worker's time for that. */
const bounds = { most: 50_000, milliseconds: 3000, authors: 100 };
const cacheBytes = 4 * 1024 * 1024;

/** From when on commits are counted, and in what. */
export interface CountedPeriod {
  /** seconds; null: the whole history. The same instant for all who ask on one day, so that they share the answer. */
  readonly since: number | null;
  readonly bucketSeconds: number;
}

export type ReadContributions = (
  revision: Revision,
  period: CountedPeriod,
  signal?: AbortSignal,
) => Promise<ContributionsResult>;

/** Counts who made how many commits when. Answers are kept under the commit's oid. */
export function prepareReadContributions(engine: Pick<GitEngine, "call">): ReadContributions {
  const cache = new ByteCache<ContributionsResult>(cacheBytes);
  const inMaking = new JoinedWork<ContributionsResult>();
  return async ({ view, commit }, { since, bucketSeconds }, signal) => {
    const key = `${commit} ${since} ${bucketSeconds}`;
    const known = cache.get(key);
    if (known !== undefined) {
      return known;
    }
    const count = async (left: AbortSignal) => {
      const found = await engine.call(view, "contributions", { tip: commit, since, bucketSeconds, ...bounds }, left);
      const buckets = found.contributors.reduce((sum, one) => sum + one.buckets.length, found.buckets.length);
      cache.set(key, found, 48 * buckets + 300 * found.contributors.length);
      return found;
    };
    return inMaking.do(`${currentPrincipal()} ${key}`, count, signal);
  };
}
