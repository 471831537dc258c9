import type { GitEngine } from "../../../git/engine.ts";
import type { SearchCommitsArgs, SearchCommitsResult } from "../../../git/operations/search-commits.ts";
import { FairShare } from "../../../lib/fair-share.ts";
import { currentPrincipal } from "../../../lib/request-context.ts";
import type { Revision } from "../refs/revisions.ts";

/** Time of a worker for one search. The next one of the same words goes on where it ended. */
const milliseconds = 2000;
const share = {
  what: "searches in history",
  places: 4,
  placesEach: 2,
  waiting: 64,
  waitingEach: 8,
  waitingMs: 15_000,
} as const;

export type CommitQuery = Omit<SearchCommitsArgs, "tip" | "milliseconds">;

/** Searches the history of a revision. Throws Busy. */
export type SearchCommits = (
  revision: Revision,
  query: CommitQuery,
  signal?: AbortSignal,
) => Promise<SearchCommitsResult>;

/** Few searches run at once, and principals take turns. */
export function prepareSearchCommits(engine: Pick<GitEngine, "call">): SearchCommits {
  const places = new FairShare(share);
  return async ({ view, commit }, query, signal) => {
    using _place = await places.take(currentPrincipal(), signal);
    return await engine.call(view, "searchCommits", { ...query, tip: commit, milliseconds }, signal);
  };
}
